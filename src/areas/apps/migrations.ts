import type { Migration } from '../../store/migrate.ts'

/** `git_password`, `private_key` and the values of secret variables are encrypted; `warnings` is a JSON list. */
const sql = `
CREATE TABLE apps (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('static', 'php', 'node', 'python')),
  git_url TEXT,
  git_branch TEXT,
  git_username TEXT,
  git_password TEXT,
  deploy_key TEXT,
  private_key TEXT,
  host_key TEXT,
  listen TEXT NOT NULL CHECK (listen IN ('socket', 'port')),
  port INTEGER,
  root TEXT,
  install TEXT,
  build TEXT,
  start TEXT,
  build_timeout_s INTEGER NOT NULL,
  health_path TEXT NOT NULL,
  health_timeout_s INTEGER NOT NULL,
  keep_releases INTEGER NOT NULL,
  running INTEGER NOT NULL CHECK (running IN (0, 1)),
  status TEXT NOT NULL CHECK (status IN ('creating', 'active', 'deleting')),
  observed TEXT NOT NULL CHECK (observed IN ('stopped', 'starting', 'running', 'crashed')),
  status_reason TEXT,
  current_release_id TEXT,
  deploying_release_id TEXT,
  last_number INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  crashed_at INTEGER,
  CHECK ((deploy_key IS NULL) = (private_key IS NULL)),
  UNIQUE (account_id, name)
) STRICT;
CREATE INDEX apps_account ON apps (account_id, id);
CREATE INDEX apps_name ON apps (name);
CREATE INDEX apps_crashed ON apps (crashed_at) WHERE crashed_at IS NOT NULL;

CREATE TABLE app_releases (
  id TEXT PRIMARY KEY,
  app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('git', 'archive')),
  ref TEXT,
  upload_id TEXT,
  commit_id TEXT,
  root TEXT,
  status TEXT NOT NULL
    CHECK (status IN ('queued', 'building', 'checking', 'live', 'superseded', 'failed', 'cancelled', 'pruned')),
  error TEXT,
  size_bytes INTEGER,
  job_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  activated_at INTEGER,
  warnings TEXT,
  UNIQUE (app_id, number)
) STRICT;
CREATE INDEX app_releases_app ON app_releases (app_id, id);
CREATE UNIQUE INDEX app_releases_live ON app_releases (app_id) WHERE status = 'live';

CREATE TABLE app_env (
  app_id TEXT NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT,
  sealed TEXT,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (app_id, name),
  CHECK ((value IS NULL) <> (sealed IS NULL))
) STRICT, WITHOUT ROWID;
`

export const migrations: readonly Migration[] = [{ name: '0021-apps', sql }]
