/** A reseller's brand, and logos of resellers and of root. */
export const sql = `
ALTER TABLE resellers ADD COLUMN brand TEXT;
CREATE UNIQUE INDEX resellers_hostname ON resellers (json_extract(brand, '$.hostname')) WHERE brand IS NOT NULL;

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
