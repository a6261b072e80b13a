import type { Migration } from '../../store/migrate.ts'

const sql = `
CREATE TABLE machine_issues (
  node_id TEXT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('warn', 'error')),
  detail TEXT NOT NULL,
  begun_at INTEGER NOT NULL,
  since INTEGER,
  PRIMARY KEY (node_id, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX machine_issues_since ON machine_issues (since) WHERE since IS NOT NULL;

CREATE TABLE disk_samples (
  node_id TEXT NOT NULL REFERENCES nodes (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  at INTEGER NOT NULL,
  used_mb INTEGER NOT NULL,
  used_inodes INTEGER NOT NULL,
  PRIMARY KEY (node_id, path, at)
) STRICT, WITHOUT ROWID;
CREATE INDEX disk_samples_at ON disk_samples (at);
`

const readOnly = `
CREATE TABLE read_only_databases (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  since INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX read_only_databases_since ON read_only_databases (since);
`

export const migrations: readonly Migration[] = [
  { name: '0032-monitoring', sql },
  { name: '0036-read-only-databases', sql: readOnly },
]
