import type { Migration } from '../../store/migrate.ts'

const sql = `
CREATE TABLE ssh_access (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1))
) STRICT;

CREATE TABLE ssh_keys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  blob TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  comment TEXT NOT NULL,
  applied INTEGER NOT NULL CHECK (applied IN (0, 1)),
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX ssh_keys_blob ON ssh_keys (account_id, blob);
CREATE INDEX ssh_keys_account ON ssh_keys (account_id, id);
`

export const migrations: readonly Migration[] = [{ name: '0014-ssh', sql }]
