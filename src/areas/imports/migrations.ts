import type { Migration } from '../../store/migrate.ts'

const sql = `
CREATE TABLE imports (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  node TEXT NOT NULL,
  path TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  format TEXT,
  panel_version TEXT,
  status TEXT NOT NULL,
  username TEXT NOT NULL,
  main_domain TEXT NOT NULL,
  account_id TEXT,
  options TEXT NOT NULL,
  source TEXT,
  report TEXT NOT NULL,
  job_id TEXT,
  error TEXT,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  activated_at INTEGER,
  uid INTEGER,
  steps TEXT NOT NULL DEFAULT '{}',
  work TEXT,
  runs INTEGER NOT NULL DEFAULT 0 CHECK (runs IN (0, 1)),
  last_sync_at INTEGER,
  former TEXT,
  compared_at INTEGER,
  upload_id TEXT,
  upload_sha256 TEXT
) STRICT;
CREATE INDEX imports_by_owner ON imports (owner_id, id);
CREATE INDEX imports_by_account ON imports (account_id) WHERE account_id IS NOT NULL;

CREATE TABLE import_uploads (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  name TEXT,
  size INTEGER NOT NULL,
  sha256 TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX import_uploads_by_owner ON import_uploads (owner_id, id);
`

export const migrations: readonly Migration[] = [{ name: '0027-imports', sql }]
