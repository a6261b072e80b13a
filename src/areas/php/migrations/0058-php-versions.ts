export const sql = `
CREATE TABLE php_versions (
  node TEXT NOT NULL,
  version TEXT NOT NULL,
  is_default INTEGER NOT NULL,
  extensions TEXT NOT NULL,
  PRIMARY KEY (node, version)
) STRICT, WITHOUT ROWID;

ALTER TABLE packages ADD COLUMN php_memory_max_mb INTEGER;
ALTER TABLE packages ADD COLUMN php_execution_max_s INTEGER;
ALTER TABLE packages ADD COLUMN php_upload_max_mb INTEGER;

ALTER TABLE backups ADD COLUMN php_versions TEXT;

CREATE INDEX domains_php_version ON domains (json_extract(rules, '$.php_version'), account_id)
  WHERE json_extract(rules, '$.php_version') IS NOT NULL;
`
