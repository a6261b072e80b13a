import type { Migration } from '../../store/migrate.ts'

/** A backup outlives its account. `damage`: what the trial restore found. */
const sql = `
CREATE TABLE backup_destinations (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL CHECK (type IN ('local', 's3', 'sftp')),
  is_default INTEGER NOT NULL CHECK (is_default IN (0, 1)),
  path TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  settings TEXT NOT NULL DEFAULT '{}',
  keys TEXT
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
  finished_at INTEGER,
  secrets_key TEXT,
  tried_at INTEGER,
  damage TEXT,
  php_versions TEXT
) STRICT;
CREATE INDEX backups_account ON backups (account_id, id);
CREATE INDEX backups_owner ON backups (owner_id, id);
CREATE INDEX backups_expiry ON backups (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX backups_job ON backups (job_id);
CREATE INDEX backups_destination ON backups (destination_id);
CREATE INDEX backups_damaged ON backups (checked_at) WHERE status = 'damaged';
CREATE INDEX backups_untried ON backups (finished_at) WHERE tried_at IS NULL AND status = 'complete';

CREATE TABLE backup_schedules (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  every TEXT CHECK (every IN ('none', 'daily', 'weekly')),
  keep INTEGER,
  destination_id TEXT REFERENCES backup_destinations (id),
  last_at INTEGER,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE backup_restores (
  id TEXT PRIMARY KEY,
  backup_id TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  parts TEXT NOT NULL,
  paths TEXT,
  put_to TEXT,
  safety INTEGER NOT NULL CHECK (safety IN (0, 1)),
  safety_id TEXT,
  done TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  databases TEXT
) STRICT;
CREATE INDEX backup_restores_account ON backup_restores (account_id);
`

/** What the panel itself wrote into a backup is checked when it is read. */
const texts = `ALTER TABLE backups ADD COLUMN texts_sha256 TEXT;
`

export const migrations: readonly Migration[] = [
  { name: '0017-backups', sql },
  { name: '0035-backup-texts', sql: texts },
]
