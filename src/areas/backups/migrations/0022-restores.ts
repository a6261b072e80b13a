export const sql = `
CREATE TABLE backup_restores (
  id TEXT PRIMARY KEY,
  backup_id TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  parts TEXT NOT NULL,
  paths TEXT,
  put_to TEXT,
  safety INTEGER NOT NULL CHECK (safety IN (0, 1)),
  safety_id TEXT,
  done TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX backup_restores_account ON backup_restores (account_id);
`
