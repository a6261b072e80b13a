import type { Migration } from '../../store/migrate.ts'

/** The bytes of uploads are in the home, and the host is asked for their number. */
const sql = `
CREATE TABLE uploads (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT,
  size INTEGER NOT NULL,
  sha256 TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX uploads_account ON uploads (account_id, id);
CREATE INDEX uploads_expiry ON uploads (expires_at);
`

export const migrations: readonly Migration[] = [{ name: '0019-files', sql }]
