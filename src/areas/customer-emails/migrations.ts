import type { Migration } from '../../store/migrate.ts'

/** `sent_at` is null while the cause waits for the host. */
const sql = `
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
`

export const migrations: readonly Migration[] = [{ name: '0029-customer-emails', sql }]
