import type { Migration } from '../../store/migrate.ts'

/**
 * Attempts count for their IPv6 /48 (`site`) too. Of a link for a new password only the SHA-256 of its token is stored;
 * `reset_addresses` says where it goes while the contact address was set by somebody who may not set the password.
 */
const sql = `
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
  expires_at INTEGER NOT NULL,
  maker_id TEXT,
  maker_token_id TEXT,
  maker_session_id TEXT,
  confirmed_at INTEGER,
  ended_at INTEGER,
  switched INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX sessions_principal ON sessions (principal_id, id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

CREATE TABLE two_factor (
  principal_id TEXT PRIMARY KEY,
  secret TEXT NOT NULL,
  enabled_at INTEGER,
  last_step INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE sign_in_attempts (
  id TEXT PRIMARY KEY,
  who TEXT NOT NULL,
  address TEXT NOT NULL,
  at INTEGER NOT NULL,
  site TEXT,
  code INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX sign_in_attempts_who ON sign_in_attempts (who, at);
CREATE INDEX sign_in_attempts_address ON sign_in_attempts (address, at);
CREATE INDEX sign_in_attempts_at ON sign_in_attempts (at);
CREATE INDEX sign_in_attempts_site ON sign_in_attempts (site, at);

CREATE TABLE known_addresses (
  who TEXT NOT NULL,
  address TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (who, address)
) STRICT, WITHOUT ROWID;

CREATE TABLE password_resets (
  id TEXT PRIMARY KEY,
  hash TEXT NOT NULL UNIQUE,
  principal_id TEXT NOT NULL,
  address TEXT NOT NULL,
  set_at INTEGER,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX password_resets_principal ON password_resets (principal_id);
CREATE INDEX password_resets_expiry ON password_resets (expires_at);

CREATE TABLE reset_addresses (
  principal_id TEXT PRIMARY KEY,
  address TEXT NOT NULL
) STRICT;
CREATE INDEX reset_addresses_address ON reset_addresses (lower(address));

CREATE TABLE passkeys (
  id TEXT PRIMARY KEY,
  principal_id TEXT NOT NULL,
  rp_id TEXT NOT NULL,
  credential_id TEXT NOT NULL,
  public_key TEXT NOT NULL,
  counter INTEGER NOT NULL,
  transports TEXT NOT NULL,
  name TEXT NOT NULL,
  synced INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  UNIQUE (rp_id, credential_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX passkeys_principal ON passkeys (principal_id);

CREATE TABLE used_challenges (
  hash TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE recovery_codes (
  principal_id TEXT PRIMARY KEY,
  codes TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`

export const migrations: readonly Migration[] = [{ name: '0009-sessions', sql }]
