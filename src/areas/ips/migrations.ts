import type { Migration } from '../../store/migrate.ts'

const sql = `
CREATE TABLE ips (
  id TEXT PRIMARY KEY,
  address TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL CHECK (version IN (4, 6)),
  kind TEXT NOT NULL CHECK (kind IN ('shared', 'dedicated')),
  main INTEGER NOT NULL CHECK (main IN (0, 1)),
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ips_main ON ips (main) WHERE main = 1;
`

export const migrations: readonly Migration[] = [{ name: '0003-ips', sql }]
