export const sql = `
CREATE TABLE previews (
  domain_id TEXT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
  label TEXT NOT NULL UNIQUE,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX previews_expiry ON previews (expires_at);
`
