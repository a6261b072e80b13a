export const sql = `
CREATE TABLE backup_destinations (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL CHECK (type IN ('local', 's3', 'sftp')),
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  path TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX backup_destinations_default ON backup_destinations (is_default) WHERE is_default = 1;

CREATE TABLE backups (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  username TEXT NOT NULL,
  domain TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('manual', 'scheduled', 'safety', 'final')),
  status TEXT NOT NULL CHECK (status IN ('running', 'complete', 'incomplete', 'failed', 'damaged', 'deleting')),
  wanted TEXT NOT NULL,
  parts TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  destination_id TEXT NOT NULL REFERENCES backup_destinations (id),
  note TEXT NOT NULL,
  manifest_sha256 TEXT,
  checked_at INTEGER,
  expires_at INTEGER,
  job_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
) STRICT;
CREATE INDEX backups_account ON backups (account_id, id);
CREATE INDEX backups_owner ON backups (owner_id, id);
CREATE INDEX backups_expiry ON backups (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX backups_job ON backups (job_id);

CREATE TABLE backup_schedules (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  every TEXT CHECK (every IN ('none', 'daily', 'weekly')),
  keep INTEGER,
  destination_id TEXT REFERENCES backup_destinations (id),
  last_at INTEGER,
  updated_at INTEGER NOT NULL
) STRICT;

ALTER TABLE packages ADD COLUMN backup_schedule TEXT NOT NULL DEFAULT 'none' CHECK (backup_schedule IN ('none', 'daily', 'weekly'));
ALTER TABLE packages ADD COLUMN backup_keep INTEGER NOT NULL DEFAULT 7;
ALTER TABLE packages ADD COLUMN max_backups INTEGER;
`
