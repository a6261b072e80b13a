import type { Migration } from '../../store/migrate.ts'

const sql = `
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
  backup_schedule TEXT NOT NULL DEFAULT 'none' CHECK (backup_schedule IN ('none', 'daily', 'weekly')),
  backup_keep INTEGER NOT NULL DEFAULT 7,
  max_backups INTEGER,
  max_apps INTEGER,
  node_labels TEXT,
  php_memory_max_mb INTEGER,
  php_execution_max_s INTEGER,
  php_upload_max_mb INTEGER,
  letters TEXT,
  UNIQUE (owner_id, name)
) STRICT;
CREATE INDEX packages_feature_list ON packages (feature_list_id);
`

export const migrations: readonly Migration[] = [{ name: '0004-packages', sql }]
