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

/** Lists show them without reading the reports. */
const counts = `
ALTER TABLE imports ADD COLUMN counts TEXT NOT NULL DEFAULT '{"as_is":0,"changed":0,"not_possible":0,"conflicts":0}';
UPDATE imports SET counts = (
  SELECT json_object(
    'as_is', count(*) FILTER (WHERE outcome = 'as_is'), 'changed', count(*) FILTER (WHERE outcome = 'changed'),
    'not_possible', count(*) FILTER (WHERE outcome = 'not_possible'),
    'conflicts', count(*) FILTER (WHERE outcome = 'conflict'))
  FROM (SELECT CASE type WHEN 'object' THEN json_extract(value, '$.outcome') END AS outcome
    FROM json_each(CASE WHEN json_valid(imports.report) THEN imports.report ELSE '[]' END)));
`

export const migrations: readonly Migration[] = [
  { name: '0027-imports', sql },
  { name: '0041-import-counts', sql: counts },
]
