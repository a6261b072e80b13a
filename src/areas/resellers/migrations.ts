import type { Migration } from '../../store/migrate.ts'

/** Resellers, their privileges and brands, and logos of resellers and of root. */
const sql = `
CREATE TABLE resellers (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  acl TEXT NOT NULL,
  acl_id TEXT,
  max_accounts INTEGER,
  max_disk_mb INTEGER,
  max_bw_mb INTEGER,
  overselling INTEGER NOT NULL DEFAULT 0 CHECK (overselling IN (0, 1)),
  nameservers TEXT NOT NULL DEFAULT '[]',
  suspended_at INTEGER,
  suspend_reason TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  brand TEXT
) STRICT;
CREATE UNIQUE INDEX resellers_hostname ON resellers (json_extract(brand, '$.hostname')) WHERE brand IS NOT NULL;

CREATE TABLE acls (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  acl TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE brand_logos (
  owner_id TEXT PRIMARY KEY,
  sha256 TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('image/png', 'image/webp')),
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE INDEX brand_logos_sha256 ON brand_logos (sha256);

CREATE TRIGGER brand_logo_owner AFTER DELETE ON resellers BEGIN
  DELETE FROM brand_logos WHERE owner_id = old.account_id;
END;
`

export const migrations: readonly Migration[] = [{ name: '0006-resellers', sql }]
