import type { Migration } from '../../store/migrate.ts'

const sql = `
CREATE TABLE cron_jobs (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  schedule TEXT NOT NULL,
  command TEXT NOT NULL,
  mail INTEGER NOT NULL CHECK (mail IN (0, 1)),
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  timeout_s INTEGER NOT NULL,
  comment TEXT NOT NULL,
  next_run_at INTEGER,
  applied INTEGER NOT NULL CHECK (applied IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  failing_since INTEGER,
  CHECK ((next_run_at IS NOT NULL) = enabled)
) STRICT;
CREATE INDEX cron_jobs_account ON cron_jobs (account_id, id);
CREATE INDEX cron_jobs_due ON cron_jobs (next_run_at) WHERE next_run_at IS NOT NULL;
CREATE INDEX cron_jobs_failing ON cron_jobs (failing_since) WHERE failing_since IS NOT NULL;

CREATE TABLE cron_runs (
  id TEXT PRIMARY KEY,
  cron_job_id TEXT NOT NULL REFERENCES cron_jobs (id) ON DELETE CASCADE,
  trigger TEXT NOT NULL CHECK (trigger IN ('schedule', 'manual')),
  outcome TEXT NOT NULL
    CHECK (outcome IN ('running', 'succeeded', 'failed', 'timeout', 'interrupted', 'skipped')),
  exit_code INTEGER,
  signal TEXT,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  output TEXT,
  truncated INTEGER CHECK (truncated IN (0, 1)),
  CHECK ((finished_at IS NULL) = (outcome = 'running'))
) STRICT;
CREATE INDEX cron_runs_job ON cron_runs (cron_job_id, id);
CREATE UNIQUE INDEX cron_runs_running ON cron_runs (cron_job_id) WHERE outcome = 'running';
`

export const migrations: readonly Migration[] = [{ name: '0020-cron', sql }]
