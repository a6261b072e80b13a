export const sql = `
CREATE TABLE settings (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE feature_lists (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  features TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (owner_id, name)
) STRICT;

CREATE TABLE ips (
  id TEXT PRIMARY KEY,
  address TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL CHECK (version IN (4, 6)),
  kind TEXT NOT NULL CHECK (kind IN ('shared', 'dedicated')),
  main INTEGER NOT NULL CHECK (main IN (0, 1)),
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ips_main ON ips (main) WHERE main = 1;

CREATE TABLE packages (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  feature_list_id TEXT NOT NULL REFERENCES feature_lists (id) ON DELETE RESTRICT,
  theme TEXT NOT NULL,
  shell TEXT NOT NULL,
  locale TEXT NOT NULL,
  cgi INTEGER NOT NULL CHECK (cgi IN (0, 1)),
  dedicated_ip INTEGER NOT NULL CHECK (dedicated_ip IN (0, 1)),
  digest_auth INTEGER NOT NULL CHECK (digest_auth IN (0, 1)),
  bw_limit_mb INTEGER,
  disk_quota_mb INTEGER,
  default_email_quota_mb INTEGER,
  max_email_quota_mb INTEGER,
  max_addon INTEGER,
  max_email INTEGER,
  max_email_per_hour INTEGER,
  max_ftp INTEGER,
  max_parked INTEGER,
  max_sql INTEGER,
  max_sub INTEGER,
  php_max_children INTEGER,
  isolation TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (owner_id, name)
) STRICT;
CREATE INDEX packages_feature_list ON packages (feature_list_id);

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  username TEXT NOT NULL UNIQUE,
  main_domain TEXT NOT NULL UNIQUE,
  contact_email TEXT NOT NULL,
  password_hash TEXT,
  password_changed_at INTEGER,
  owner_id TEXT NOT NULL,
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE RESTRICT,
  ip_id TEXT NOT NULL REFERENCES ips (id) ON DELETE RESTRICT,
  uid INTEGER NOT NULL UNIQUE,
  home_dir TEXT NOT NULL,
  db_prefix TEXT NOT NULL UNIQUE,
  shell TEXT NOT NULL,
  theme TEXT NOT NULL,
  locale TEXT NOT NULL,
  mail_routing TEXT NOT NULL CHECK (mail_routing IN ('auto', 'local', 'remote', 'backup')),
  cgi INTEGER NOT NULL CHECK (cgi IN (0, 1)),
  spam_box INTEGER NOT NULL CHECK (spam_box IN (0, 1)),
  spam_filter INTEGER NOT NULL CHECK (spam_filter IN (0, 1)),
  make_reseller INTEGER NOT NULL CHECK (make_reseller IN (0, 1)),
  bw_limit_mb INTEGER,
  disk_quota_mb INTEGER,
  inodes_limit INTEGER,
  default_email_quota_mb INTEGER,
  max_email_quota_mb INTEGER,
  max_addon INTEGER,
  max_email INTEGER,
  max_email_per_hour INTEGER,
  max_ftp INTEGER,
  max_parked INTEGER,
  max_sql INTEGER,
  max_sub INTEGER,
  php_max_children INTEGER,
  bw_used_month_mb INTEGER NOT NULL DEFAULT 0,
  disk_used_mb INTEGER NOT NULL DEFAULT 0,
  inodes_used INTEGER NOT NULL DEFAULT 0,
  db_count INTEGER NOT NULL DEFAULT 0,
  db_used_bytes INTEGER NOT NULL DEFAULT 0,
  measured_at INTEGER NOT NULL,
  zone_serial INTEGER NOT NULL,
  applied_username TEXT,
  provisioned INTEGER NOT NULL DEFAULT 0 CHECK (provisioned IN (0, 1)),
  terminating INTEGER NOT NULL DEFAULT 0 CHECK (terminating IN (0, 1)),
  suspended_at INTEGER,
  suspended_by TEXT,
  suspend_reason TEXT NOT NULL DEFAULT '',
  suspend_locked INTEGER NOT NULL DEFAULT 0 CHECK (suspend_locked IN (0, 1)),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX accounts_owner ON accounts (owner_id, id);
CREATE INDEX accounts_package ON accounts (package_id);
CREATE INDEX accounts_ip ON accounts (ip_id);

CREATE TABLE resellers (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  acl TEXT NOT NULL,
  acl_id TEXT,
  max_accounts INTEGER,
  max_disk_mb INTEGER,
  max_bw_mb INTEGER,
  overselling INTEGER NOT NULL DEFAULT 0 CHECK (overselling IN (0, 1)),
  nameservers TEXT NOT NULL DEFAULT '[]',
  suspended_at INTEGER,
  suspend_reason TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('admin', 'account')),
  principal_type TEXT NOT NULL CHECK (principal_type IN ('root', 'reseller', 'account')),
  principal_id TEXT NOT NULL,
  account_id TEXT REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  allowed_ips TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER,
  last_used_ip TEXT
) STRICT;
CREATE INDEX tokens_principal ON tokens (principal_id, id);
CREATE INDEX tokens_account ON tokens (account_id, id);

CREATE TABLE events (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  account_id TEXT,
  for_account INTEGER NOT NULL CHECK (for_account IN (0, 1)),
  server TEXT NOT NULL,
  core TEXT NOT NULL
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
  finished_at INTEGER
) STRICT;
CREATE INDEX jobs_due ON jobs (run_at, id) WHERE status = 'queued';
CREATE INDEX jobs_lane ON jobs (lane, id) WHERE status IN ('queued', 'leased', 'running');
CREATE INDEX jobs_leased ON jobs (lease_until) WHERE status IN ('leased', 'running');
CREATE INDEX jobs_account ON jobs (account_id, id);
CREATE INDEX jobs_owner ON jobs (owner_id, id);
CREATE INDEX jobs_status ON jobs (status, id);

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
  after TEXT
) STRICT;
CREATE INDEX audit_account ON audit (account_id, id);
CREATE INDEX audit_operation ON audit (operation, id);
CREATE INDEX audit_actor ON audit (actor_id, id);
CREATE TRIGGER audit_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
CREATE TRIGGER audit_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;

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
`
