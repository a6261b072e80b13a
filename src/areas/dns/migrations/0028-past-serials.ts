/** 1,000 plus one per minute: see `beyondServed`. */
const beyondServed = `OLD.serial + CASE WHEN OLD.key_created_at IS NULL THEN 0
    ELSE 1000 + max(0, unixepoch() * 1000 - OLD.key_created_at) / 60000 END`

const remember = `
  INSERT INTO dns_past_serials (name, serial) VALUES (OLD.name, ${beyondServed})
  ON CONFLICT (name) DO UPDATE SET serial = max(serial, excluded.serial);`

/** Keeps the serial of deleted zones: a recreated one needs a higher serial, or secondaries ignore it. */
export const sql = `
CREATE TABLE dns_past_serials (
  name TEXT PRIMARY KEY,
  serial INTEGER NOT NULL
) STRICT;
CREATE TRIGGER dns_zones_gone AFTER DELETE ON dns_zones BEGIN${remember}
END;
CREATE TRIGGER dns_zones_renamed AFTER UPDATE OF name ON dns_zones WHEN OLD.name IS NOT NEW.name BEGIN${remember}
END;
`
