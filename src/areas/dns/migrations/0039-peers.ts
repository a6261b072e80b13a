/** External name servers that transfer zones from here, and the catalogs that list the zones. */
export const sql = `
CREATE TABLE dns_peers (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  addresses TEXT NOT NULL,
  secret TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE TABLE dns_catalogs (
  number INTEGER PRIMARY KEY,
  serial INTEGER NOT NULL,
  digest TEXT NOT NULL
) STRICT;
CREATE TABLE dns_catalog_changes (
  place INTEGER PRIMARY KEY,
  waiting INTEGER NOT NULL CHECK (waiting IN (0, 1))
) STRICT;
ALTER TABLE dns_zones ADD COLUMN catalog INTEGER;
CREATE INDEX dns_zones_catalog ON dns_zones (catalog, name) WHERE catalog IS NOT NULL;
CREATE TRIGGER dns_catalog_left AFTER DELETE ON dns_zones BEGIN
  UPDATE dns_catalog_changes SET waiting = 1;
END;
CREATE TRIGGER dns_catalog_changed AFTER UPDATE OF name, applied_serial ON dns_zones
WHEN old.name <> new.name OR (old.applied_serial IS NULL) <> (new.applied_serial IS NULL) BEGIN
  UPDATE dns_catalog_changes SET waiting = 1;
END;
`
