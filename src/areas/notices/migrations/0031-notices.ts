/** 90 % of a limit. */
const isNear = (used: string, limit: string): string => `coalesce(${used} > 0 AND ${used} * 10 >= ${limit} * 9, 0)`

/** Records when a figure came near its limit, and clears it when it drops. */
const nearing = (table: string, [since, used, limit]: readonly [string, string, string]): string => `
ALTER TABLE ${table} ADD COLUMN ${since} INTEGER;
UPDATE ${table} SET ${since} = measured_at WHERE ${isNear(used, limit)};
CREATE INDEX ${table}_${since} ON ${table} (${since}) WHERE ${since} IS NOT NULL;
CREATE TRIGGER ${table}_${since} AFTER UPDATE ON ${table}
WHEN ${isNear(`new.${used}`, `new.${limit}`)} <> (new.${since} IS NOT NULL) BEGIN
  UPDATE ${table} SET ${since} = iif(${isNear(`new.${used}`, `new.${limit}`)}, new.measured_at, NULL) WHERE id = new.id;
END;`

/** Indexes what needs attention, so that the rest is never read. Earlier failures count as seen. */
export const sql = `
CREATE TABLE dismissed_notices (
  kind TEXT NOT NULL,
  object_id TEXT NOT NULL,
  since INTEGER NOT NULL,
  account_id TEXT REFERENCES accounts (id) ON DELETE CASCADE,
  PRIMARY KEY (kind, object_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX dismissed_notices_account ON dismissed_notices (account_id) WHERE account_id IS NOT NULL;
${nearing('accounts', ['disk_near_since', 'disk_used_mb', 'disk_quota_mb'])}
${nearing('accounts', ['inodes_near_since', 'inodes_used', 'inodes_limit'])}
${nearing('accounts', ['bw_near_since', 'bw_used_month_mb', 'bw_limit_mb'])}

ALTER TABLE email_mailboxes ADD COLUMN quota_bytes INTEGER GENERATED ALWAYS AS (quota_mb * 1048576) VIRTUAL;
${nearing('email_mailboxes', ['near_since', 'used_bytes', 'quota_bytes'])}

ALTER TABLE email_domains ADD COLUMN differs_since INTEGER;
CREATE INDEX email_domains_differ ON email_domains (differs_since) WHERE differs_since IS NOT NULL;

ALTER TABLE jobs ADD COLUMN mended INTEGER NOT NULL DEFAULT 0 CHECK (mended IN (0, 1));
UPDATE jobs SET mended = 1 WHERE status = 'failed';
CREATE INDEX jobs_unmended ON jobs (finished_at) WHERE status = 'failed' AND mended = 0;
CREATE INDEX jobs_unmended_account ON jobs (account_id, kind) WHERE status = 'failed' AND mended = 0;
CREATE INDEX jobs_unmended_object ON jobs (object_id, kind) WHERE status = 'failed' AND mended = 0;

ALTER TABLE autossl ADD COLUMN failing_since INTEGER;
UPDATE autossl SET failing_since = last_attempt_at WHERE last_error IS NOT NULL;
CREATE INDEX autossl_failing ON autossl (failing_since) WHERE failing_since IS NOT NULL;

ALTER TABLE cron_jobs ADD COLUMN failing_since INTEGER;
CREATE INDEX cron_jobs_failing ON cron_jobs (failing_since) WHERE failing_since IS NOT NULL;
CREATE TRIGGER cron_run_ended AFTER UPDATE OF outcome ON cron_runs
WHEN new.outcome IN ('succeeded', 'failed', 'timeout') BEGIN
  UPDATE cron_jobs SET failing_since = iif(new.outcome = 'succeeded', NULL, coalesce(failing_since, new.finished_at))
    WHERE id = new.cron_job_id;
END;

ALTER TABLE apps ADD COLUMN crashed_at INTEGER;
CREATE INDEX apps_crashed ON apps (crashed_at) WHERE crashed_at IS NOT NULL;

CREATE INDEX webhooks_off ON webhooks (updated_at) WHERE disabled_reason IS NOT NULL;
CREATE INDEX backups_damaged ON backups (checked_at) WHERE status = 'damaged';
`
