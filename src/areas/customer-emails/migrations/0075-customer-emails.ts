/** The share of a limit that notices begin at, and the steps that begin another one. */
const stepOf = (used: string, limit: string): string =>
  `coalesce(CASE WHEN ${used} <= 0 THEN 0 WHEN ${used} >= ${limit} THEN 100 WHEN ${used} * 20 >= ${limit} * 19 THEN 95
    WHEN ${used} * 5 >= ${limit} * 4 THEN 80 ELSE 0 END, 0)`

interface Figure {
  readonly table: string
  readonly step: string
  readonly since: string
  readonly used: string
  readonly limit: string
}

/** A higher step counts as a new cause; a lower one does not. */
const stepping = ({ table, step, since, used, limit }: Figure): string => `
ALTER TABLE ${table} ADD COLUMN ${step} INTEGER NOT NULL DEFAULT 0;
DROP TRIGGER ${table}_${since};
UPDATE ${table} SET ${step} = ${stepOf(used, limit)};
UPDATE ${table} SET ${since} = iif(${step} = 0, NULL, coalesce(${since}, measured_at));
CREATE TRIGGER ${table}_${since} AFTER UPDATE ON ${table}
WHEN ${stepOf(`new.${used}`, `new.${limit}`)} <> new.${step} BEGIN
  UPDATE ${table} SET ${step} = ${stepOf(`new.${used}`, `new.${limit}`)},
    ${since} = iif(${stepOf(`new.${used}`, `new.${limit}`)} = 0, NULL,
      iif(${stepOf(`new.${used}`, `new.${limit}`)} > new.${step}, new.measured_at, new.${since}))
    WHERE id = new.id;
END;`

/** `sent_at` is null while the cause waits for the host. */
export const sql = `
ALTER TABLE packages ADD COLUMN letters TEXT;

CREATE TABLE email_templates (
  owner_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  locale TEXT NOT NULL,
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (owner_id, kind, locale)
) STRICT, WITHOUT ROWID;

CREATE TABLE customer_emails (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  cause TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  sent_at INTEGER,
  PRIMARY KEY (account_id, cause)
) STRICT, WITHOUT ROWID;
CREATE INDEX customer_emails_created ON customer_emails (created_at);

CREATE TABLE notification_preferences (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  off TEXT NOT NULL
) STRICT, WITHOUT ROWID;
${stepping({ table: 'accounts', step: 'disk_near_step', since: 'disk_near_since', used: 'disk_used_mb', limit: 'disk_quota_mb' })}
${stepping({ table: 'email_mailboxes', step: 'near_step', since: 'near_since', used: 'used_bytes', limit: 'quota_bytes' })}
`
