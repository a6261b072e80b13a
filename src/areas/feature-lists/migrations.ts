import type { Migration } from '../../store/migrate.ts'

const sql = `
CREATE TABLE feature_lists (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  features TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  UNIQUE (owner_id, name)
) STRICT;
`

export const migrations: readonly Migration[] = [{ name: '0002-feature-lists', sql }]
