export const sql = `
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
  activated_at INTEGER
) STRICT;
CREATE INDEX imports_by_owner ON imports (owner_id, id);
`
