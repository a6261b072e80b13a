/** A link without an account signs root in. */
export const sql = `
CREATE TABLE links_of_all (
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
INSERT INTO links_of_all (id, hash, account_id, panel, goto, acting, creator_type, creator_id, creator_name, creator_token_id,
    creator_session_id, created_at, expires_at, used_at)
  SELECT id, hash, account_id, panel, goto, acting, creator_type, creator_id, creator_name, creator_token_id,
    creator_session_id, created_at, expires_at, used_at
  FROM links;
DROP TABLE links;
ALTER TABLE links_of_all RENAME TO links;
CREATE INDEX links_account ON links (account_id);
CREATE INDEX links_expiry ON links (expires_at);
`
