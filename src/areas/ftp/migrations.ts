import type { Migration } from '../../store/migrate.ts'

const sql = `
CREATE TABLE ftp_accounts (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  local TEXT NOT NULL,
  directory TEXT NOT NULL,
  quota_mb INTEGER CHECK (quota_mb > 0),
  hash TEXT NOT NULL,
  password_changed_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('creating', 'active', 'deleting')),
  created_at INTEGER NOT NULL,
  UNIQUE (domain_id, local)
) STRICT;
CREATE INDEX ftp_accounts_account ON ftp_accounts (account_id, id);
CREATE INDEX ftp_accounts_local ON ftp_accounts (local);
`

export const migrations: readonly Migration[] = [{ name: '0018-ftp', sql }]
