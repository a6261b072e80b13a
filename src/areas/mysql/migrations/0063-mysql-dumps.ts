export const sql = `
CREATE TABLE mysql_imports (
  database_id TEXT PRIMARY KEY REFERENCES mysql_databases (id) ON DELETE CASCADE,
  job_id TEXT NOT NULL,
  finished_at INTEGER NOT NULL,
  tables INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  warnings TEXT NOT NULL
) STRICT;

CREATE TABLE mysql_exports (
  database_id TEXT PRIMARY KEY REFERENCES mysql_databases (id) ON DELETE CASCADE,
  job_id TEXT NOT NULL,
  file TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
`
