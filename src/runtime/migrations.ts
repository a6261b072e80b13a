import type { Migration } from '../store/migrate.ts'

/**
 * Settings, events, jobs, the audit trail and idempotent answers. A job counts to the share of its `tenant`, and an `urgent` one overtakes
 * those of its lane. The audit trail is append-only, except for rows older than the setting `audit_kept_from`.
 */
const sql = `
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  account_id TEXT,
  for_account INTEGER NOT NULL CHECK (for_account IN (0, 1)),
  server TEXT NOT NULL,
  core TEXT NOT NULL,
  request_id TEXT
) STRICT;
CREATE INDEX events_type ON events (type, seq);
CREATE INDEX events_account ON events (account_id, seq) WHERE for_account = 1;
CREATE INDEX events_account_type ON events (account_id, type, seq) WHERE for_account = 1;

CREATE TABLE jobs (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('queued', 'leased', 'running', 'succeeded', 'failed', 'cancelled')),
  attempts INTEGER NOT NULL DEFAULT 0,
  max_attempts INTEGER NOT NULL,
  progress_pct INTEGER NOT NULL DEFAULT 0 CHECK (progress_pct BETWEEN 0 AND 100),
  payload TEXT NOT NULL,
  lane TEXT,
  account_id TEXT,
  username TEXT,
  domain TEXT,
  owner_id TEXT NOT NULL,
  object_id TEXT,
  actor_type TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  via TEXT NOT NULL,
  request_id TEXT NOT NULL,
  error TEXT,
  fence INTEGER NOT NULL DEFAULT 0,
  lease_owner TEXT,
  lease_until INTEGER,
  run_at INTEGER NOT NULL,
  cancel_requested INTEGER NOT NULL DEFAULT 0 CHECK (cancel_requested IN (0, 1)),
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  step TEXT,
  mended INTEGER NOT NULL DEFAULT 0 CHECK (mended IN (0, 1)),
  step_times TEXT,
  node TEXT NOT NULL DEFAULT 'local',
  urgent INTEGER NOT NULL DEFAULT 0,
  tenant TEXT
) STRICT;
CREATE INDEX jobs_lane ON jobs (lane, id) WHERE status IN ('queued', 'leased', 'running');
CREATE INDEX jobs_leased ON jobs (lease_until) WHERE status IN ('leased', 'running');
CREATE INDEX jobs_account ON jobs (account_id, id);
CREATE INDEX jobs_owner ON jobs (owner_id, id);
CREATE INDEX jobs_status ON jobs (status, id);
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX jobs_unmended_account ON jobs (account_id, kind) WHERE status = 'failed' AND mended = 0;
CREATE INDEX jobs_unmended_object ON jobs (object_id, kind) WHERE status = 'failed' AND mended = 0;
CREATE INDEX jobs_unmended ON jobs (mended, finished_at) WHERE status = 'failed' AND mended = 0;
CREATE INDEX jobs_urgent ON jobs (lane, id) WHERE urgent = 1 AND status IN ('queued', 'leased', 'running');
CREATE INDEX jobs_due ON jobs (node, run_at, id, tenant, lane, urgent) WHERE status = 'queued';

CREATE TABLE job_logs (
  job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  level TEXT NOT NULL CHECK (level IN ('info', 'warn', 'error')),
  message TEXT NOT NULL,
  PRIMARY KEY (job_id, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE audit (
  id TEXT PRIMARY KEY,
  at INTEGER NOT NULL,
  operation TEXT NOT NULL,
  actor_type TEXT NOT NULL,
  actor_id TEXT NOT NULL,
  actor_name TEXT NOT NULL,
  acting_as_id TEXT,
  acting_as_name TEXT,
  via TEXT NOT NULL,
  token_id TEXT,
  token_name TEXT,
  address TEXT,
  request_id TEXT NOT NULL,
  account_id TEXT,
  owner_id TEXT,
  object_id TEXT,
  before TEXT,
  after TEXT,
  username TEXT,
  reason TEXT,
  client TEXT
) STRICT;
CREATE INDEX audit_account ON audit (account_id, id);
CREATE INDEX audit_operation ON audit (operation, id);
CREATE INDEX audit_actor ON audit (actor_id, id);

CREATE TABLE idempotency (
  principal_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  key TEXT NOT NULL,
  request TEXT NOT NULL,
  status INTEGER NOT NULL,
  answer TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (principal_id, operation, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_age ON idempotency (created_at);

CREATE TRIGGER audit_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
CREATE TRIGGER audit_delete BEFORE DELETE ON audit
WHEN old.at >= coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'audit_kept_from'), 0)
BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
`

export const migrations: readonly Migration[] = [{ name: '0001-runtime', sql }]
