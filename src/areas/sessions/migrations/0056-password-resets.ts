/** Only the SHA-256 of a link's token is stored. A link ends when the address or the password changes. */
export const sql = `
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
`
