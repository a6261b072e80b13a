import type { Migration } from '../../store/migrate.ts'

const sql = `
CREATE TABLE php_versions (
  node TEXT NOT NULL,
  version TEXT NOT NULL,
  is_default INTEGER NOT NULL,
  extensions TEXT NOT NULL,
  PRIMARY KEY (node, version)
) STRICT, WITHOUT ROWID;
`

export const migrations: readonly Migration[] = [{ name: '0026-php', sql }]
