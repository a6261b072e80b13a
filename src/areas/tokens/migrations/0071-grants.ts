/** Tokens that a client got by OAuth: one row a grant, whose access and refresh tokens rotate. */
export const sql = `
ALTER TABLE tokens ADD COLUMN client_id TEXT;
ALTER TABLE tokens ADD COLUMN client_name TEXT;
ALTER TABLE tokens ADD COLUMN client_host TEXT;
ALTER TABLE tokens ADD COLUMN resource TEXT;
ALTER TABLE tokens ADD COLUMN access_expires_at INTEGER;
ALTER TABLE tokens ADD COLUMN refresh_hash TEXT;
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
