import type { Migration } from '../../store/migrate.ts'

/** A link without an account signs root in. */
const sql = `
CREATE TABLE links (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  account_id TEXT REFERENCES accounts (id) ON DELETE CASCADE,
  panel TEXT NOT NULL CHECK (panel IN ('admin', 'user')),
  goto TEXT NOT NULL,
  acting INTEGER NOT NULL CHECK (acting IN (0, 1)),
  creator_type TEXT NOT NULL CHECK (creator_type IN ('root', 'reseller')),
  creator_id TEXT NOT NULL,
  creator_name TEXT NOT NULL,
  creator_token_id TEXT,
  creator_session_id TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE INDEX links_account ON links (account_id);
CREATE INDEX links_expiry ON links (expires_at);
`

export const migrations: readonly Migration[] = [{ name: '0024-sso', sql }]
