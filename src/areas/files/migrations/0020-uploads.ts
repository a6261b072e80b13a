/** The bytes are in the home, and the host is asked for their number. */
export const sql = `
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
