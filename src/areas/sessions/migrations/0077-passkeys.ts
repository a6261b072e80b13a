/** Passkeys, challenges that were used, and recovery codes for any second factor. */
export const sql = `
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
INSERT INTO recovery_codes SELECT principal_id, recovery_codes FROM two_factor;
ALTER TABLE two_factor DROP COLUMN recovery_codes;
`
