export const sql = `
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  panel TEXT NOT NULL CHECK (panel IN ('admin', 'user')),
  principal_type TEXT NOT NULL CHECK (principal_type IN ('root', 'reseller', 'account')),
  principal_id TEXT NOT NULL,
  via TEXT NOT NULL CHECK (via IN ('panel', 'sso')),
  acting_as_id TEXT,
  acting_as_name TEXT,
  mfa_pending INTEGER NOT NULL CHECK (mfa_pending IN (0, 1)),
  address TEXT,
  user_agent TEXT,
  created_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_principal ON sessions (principal_id, id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE two_factor (
  principal_id TEXT PRIMARY KEY,
  secret TEXT NOT NULL,
  enabled_at INTEGER,
  last_step INTEGER NOT NULL DEFAULT 0,
  recovery_codes TEXT NOT NULL DEFAULT '[]'
) STRICT, WITHOUT ROWID;

CREATE TABLE sign_in_attempts (
  id TEXT PRIMARY KEY,
  who TEXT NOT NULL,
  address TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_attempts_who ON sign_in_attempts (who, at);
CREATE INDEX sign_in_attempts_address ON sign_in_attempts (address, at);
CREATE INDEX sign_in_attempts_at ON sign_in_attempts (at);

CREATE TABLE known_addresses (
  who TEXT NOT NULL,
  address TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (who, address)
) STRICT, WITHOUT ROWID;

CREATE TABLE links (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  panel TEXT NOT NULL CHECK (panel IN ('admin', 'user')),
  goto TEXT NOT NULL,
  acting INTEGER NOT NULL CHECK (acting IN (0, 1)),
  creator_type TEXT NOT NULL CHECK (creator_type IN ('root', 'reseller')),
  creator_id TEXT NOT NULL,
  creator_name TEXT NOT NULL,
  creator_token_id TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  used_at INTEGER
) STRICT;
CREATE INDEX links_account ON links (account_id);
CREATE INDEX links_expiry ON links (expires_at);

CREATE TABLE acls (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  acl TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

ALTER TABLE accounts ADD COLUMN suspended_with TEXT;
`
