import type { Migration } from '../../store/migrate.ts'

/** Tokens, and what a client got by OAuth: a grant is one row, whose access and refresh tokens rotate. */
const sql = `
CREATE TABLE tokens (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('admin', 'account')),
  principal_type TEXT NOT NULL CHECK (principal_type IN ('root', 'reseller', 'account')),
  principal_id TEXT NOT NULL,
  account_id TEXT REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  prefix TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  scopes TEXT NOT NULL,
  allowed_ips TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER,
  last_used_ip TEXT,
  client_id TEXT,
  client_name TEXT,
  client_host TEXT,
  resource TEXT,
  access_expires_at INTEGER,
  refresh_hash TEXT
) STRICT;
CREATE INDEX tokens_principal ON tokens (principal_id, id);
CREATE INDEX tokens_account ON tokens (account_id, id);
CREATE UNIQUE INDEX tokens_refresh ON tokens (refresh_hash) WHERE refresh_hash IS NOT NULL;
CREATE INDEX tokens_client ON tokens (client_id) WHERE client_id IS NOT NULL;

CREATE TABLE oauth_clients (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  redirect_uris TEXT NOT NULL,
  network TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX oauth_clients_network ON oauth_clients (network, created_at);

CREATE TABLE oauth_codes (
  hash TEXT PRIMARY KEY,
  token_id TEXT NOT NULL,
  client_id TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  challenge TEXT NOT NULL,
  resource TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  used INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX oauth_codes_expiry ON oauth_codes (expires_at);

CREATE TABLE oauth_used_refreshes (
  hash TEXT PRIMARY KEY,
  token_id TEXT NOT NULL REFERENCES tokens (id) ON DELETE CASCADE,
  used_at INTEGER NOT NULL
) STRICT;
CREATE INDEX oauth_used_refreshes_token ON oauth_used_refreshes (token_id, used_at);
`

export const migrations: readonly Migration[] = [{ name: '0007-tokens', sql }]
