export const sql = `
CREATE TABLE import_uploads (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  name TEXT,
  size INTEGER NOT NULL,
  sha256 TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX import_uploads_by_owner ON import_uploads (owner_id, id);
ALTER TABLE imports ADD COLUMN upload_id TEXT;
ALTER TABLE imports ADD COLUMN upload_sha256 TEXT;
`
