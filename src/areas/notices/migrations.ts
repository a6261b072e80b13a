import type { Migration } from '../../store/migrate.ts'

/** 90 % of a limit. */
const isNear = (used: string, limit: string): string =>
  `coalesce(new.${used} > 0 AND new.${used} * 10 >= new.${limit} * 9, 0)`

/** Records when a figure came near its limit, and clears it when it drops. */
const nearing = (since: string, used: string, limit: string): string => `
CREATE TRIGGER accounts_${since} AFTER UPDATE ON accounts
WHEN ${isNear(used, limit)} <> (new.${since} IS NOT NULL) BEGIN
  UPDATE accounts SET ${since} = iif(${isNear(used, limit)}, new.measured_at, NULL) WHERE id = new.id;
END;`

/** The share of a limit that notices begin at, and the steps that begin another one. */
const stepOf = (used: string, limit: string): string =>
  `coalesce(CASE WHEN new.${used} <= 0 THEN 0 WHEN new.${used} >= new.${limit} THEN 100 WHEN new.${used} * 20 >= new.${limit} * 19 THEN 95
    WHEN new.${used} * 5 >= new.${limit} * 4 THEN 80 ELSE 0 END, 0)`

interface Figure {
  readonly table: string
  readonly step: string
  readonly since: string
  readonly used: string
  readonly limit: string
}

/** A higher step counts as a new cause; a lower one does not. */
const stepping = ({ table, step, since, used, limit }: Figure): string => `
CREATE TRIGGER ${table}_${since} AFTER UPDATE ON ${table}
WHEN ${stepOf(used, limit)} <> new.${step} BEGIN
  UPDATE ${table} SET ${step} = ${stepOf(used, limit)},
    ${since} = iif(${stepOf(used, limit)} = 0, NULL,
      iif(${stepOf(used, limit)} > new.${step}, new.measured_at, new.${since}))
    WHERE id = new.id;
END;`

/** What was dismissed, and since when a figure is near its limit, so that a notice is read from an index. */
const sql = `
CREATE TABLE dismissed_notices (
  kind TEXT NOT NULL,
  object_id TEXT NOT NULL,
  since INTEGER NOT NULL,
  account_id TEXT REFERENCES accounts (id) ON DELETE CASCADE,
  PRIMARY KEY (kind, object_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX dismissed_notices_account ON dismissed_notices (account_id) WHERE account_id IS NOT NULL;

CREATE TRIGGER cron_run_ended AFTER UPDATE OF outcome ON cron_runs
WHEN new.outcome IN ('succeeded', 'failed', 'timeout') BEGIN
  UPDATE cron_jobs SET failing_since = iif(new.outcome = 'succeeded', NULL, coalesce(failing_since, new.finished_at))
    WHERE id = new.cron_job_id;
END;
${nearing('inodes_near_since', 'inodes_used', 'inodes_limit')}
${nearing('bw_near_since', 'bw_used_month_mb', 'bw_limit_mb')}
${stepping({ table: 'accounts', step: 'disk_near_step', since: 'disk_near_since', used: 'disk_used_mb', limit: 'disk_quota_mb' })}
${stepping({ table: 'email_mailboxes', step: 'near_step', since: 'near_since', used: 'used_bytes', limit: 'quota_bytes' })}
`

export const migrations: readonly Migration[] = [{ name: '0023-notices', sql }]
