import type { Migration } from '../../store/migrate.ts'

/** The label directly below the zone's name, in SQL: what follows the last dot, or all. */
export const topOf = (name: string): string => `substr(${name}, length(rtrim(${name}, replace(${name}, '.', ''))) + 1)`

/** 1,000 plus one per minute: see `beyondServed`. */
const beyondServed = `OLD.serial + CASE WHEN OLD.key_created_at IS NULL THEN 0
    ELSE 1000 + max(0, unixepoch() * 1000 - OLD.key_created_at) / 60000 END`

const remember = `
  INSERT INTO dns_past_serials (name, serial) VALUES (OLD.name, ${beyondServed})
  ON CONFLICT (name) DO UPDATE SET serial = max(serial, excluded.serial);`

const isServer = "nodes.state <> 'retired' AND EXISTS (SELECT 1 FROM json_each(nodes.roles) WHERE value = 'dns')"

/** Each node with the role dns is to be told of the account's zones, unless the account is on it. */
const owe = `
  INSERT INTO dns_served (node, account_id, due)
    SELECT nodes.name, accounts.id, 1 FROM accounts CROSS JOIN nodes
    WHERE accounts.id = new.account_id AND nodes.name <> accounts.node AND ${isServer}
    ON CONFLICT (node, account_id) DO UPDATE SET due = abs(due) + 1;`

const oweAll = `
  INSERT INTO dns_served (node, account_id, due)
    SELECT nodes.name, accounts.id, 1 FROM nodes CROSS JOIN accounts
    WHERE nodes.name = new.name AND accounts.node <> nodes.name AND ${isServer}
      AND EXISTS (SELECT 1 FROM dns_zones WHERE dns_zones.account_id = accounts.id)
    ON CONFLICT (node, account_id) DO UPDATE SET due = abs(due) + 1;`

const again = 'UPDATE dns_served SET due = abs(due) + 1 WHERE node = new.name;'

const waits = `
  INSERT INTO dns_catalog_changes (place, waiting) VALUES (1, 1) ON CONFLICT (place) DO UPDATE SET waiting = 1;`

const changed = `
  UPDATE dns_catalog_changes SET waiting = 1 WHERE EXISTS (SELECT 1 FROM dns_peers);`

const isSecondary = (row: string): string =>
  `EXISTS (SELECT 1 FROM json_each(${row}.roles) WHERE value = 'dns-secondary')`

/** The key of a machine goes with it. */
const leaves = (row: string): string => `
  UPDATE dns_catalog_changes SET waiting = 1 WHERE EXISTS (SELECT 1 FROM dns_peers WHERE node = ${row}.name);
  DELETE FROM dns_peers WHERE node = ${row}.name;`

/**
 * Zones, external name servers that transfer them, the catalogs that list them, and what name servers of nodes have of accounts
 * of other nodes: `due` counts the changes that they were not told of. The serial of a deleted zone is kept: one made again needs
 * a higher serial, or secondaries ignore it.
 */
const sql = `
CREATE TABLE dns_zones (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  domain_id TEXT NOT NULL UNIQUE REFERENCES domains (id) ON DELETE CASCADE,
  name TEXT NOT NULL UNIQUE,
  serial INTEGER NOT NULL,
  applied_serial INTEGER,
  ttl INTEGER NOT NULL,
  refresh INTEGER NOT NULL,
  retry INTEGER NOT NULL,
  expire INTEGER NOT NULL,
  minimum INTEGER NOT NULL,
  nameservers TEXT NOT NULL,
  dnskey TEXT,
  key_tag INTEGER,
  private_key TEXT,
  key_created_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  catalog INTEGER,
  CHECK ((dnskey IS NULL) = (private_key IS NULL))
) STRICT;
CREATE INDEX dns_zones_account ON dns_zones (account_id, id);
CREATE INDEX dns_zones_catalog ON dns_zones (catalog, name) WHERE catalog IS NOT NULL;

CREATE TABLE dns_records (
  id TEXT PRIMARY KEY,
  zone_id TEXT NOT NULL REFERENCES dns_zones (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  ttl INTEGER,
  value TEXT NOT NULL,
  priority INTEGER,
  weight INTEGER,
  port INTEGER,
  flags INTEGER,
  tag TEXT,
  managed INTEGER NOT NULL CHECK (managed IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX dns_records_zone ON dns_records (zone_id, id);
CREATE INDEX dns_records_top ON dns_records (zone_id, ${topOf('name')});
CREATE INDEX dns_records_pointer ON dns_records (zone_id) WHERE type IN ('MX', 'NS', 'SRV');

CREATE TABLE dns_past_serials (
  name TEXT PRIMARY KEY,
  serial INTEGER NOT NULL
) STRICT;

CREATE TABLE dns_peers (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  addresses TEXT NOT NULL,
  secret TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  node TEXT,
  told TEXT
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

CREATE TABLE dns_served (
  node TEXT NOT NULL,
  account_id TEXT NOT NULL,
  due INTEGER NOT NULL,
  PRIMARY KEY (node, account_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX dns_served_due ON dns_served (node, account_id) WHERE due <> 0;

CREATE TRIGGER dns_zones_gone AFTER DELETE ON dns_zones BEGIN${remember}
END;
CREATE TRIGGER dns_zones_renamed AFTER UPDATE OF name ON dns_zones WHEN OLD.name IS NOT NEW.name BEGIN${remember}
END;
CREATE TRIGGER dns_served_made AFTER INSERT ON dns_zones BEGIN${owe}
END;
CREATE TRIGGER dns_served_changed AFTER UPDATE OF serial, name ON dns_zones
WHEN old.serial <> new.serial OR old.name <> new.name BEGIN${owe}
END;
CREATE TRIGGER dns_served_left AFTER DELETE ON dns_zones BEGIN
  UPDATE dns_served SET due = abs(due) + 1 WHERE account_id = old.account_id;
END;
CREATE TRIGGER dns_served_node AFTER INSERT ON nodes BEGIN${oweAll}
END;
CREATE TRIGGER dns_served_roles AFTER UPDATE OF roles, state ON nodes
WHEN old.roles <> new.roles OR (old.state = 'retired' AND new.state <> 'retired') BEGIN
  ${again}${oweAll}
END;
CREATE TRIGGER dns_served_machine AFTER UPDATE OF fingerprint ON nodes
WHEN new.fingerprint IS NOT NULL AND new.fingerprint IS NOT old.fingerprint BEGIN
  ${again}
END;
CREATE TRIGGER dns_secondary_machine AFTER UPDATE OF fingerprint ON nodes
WHEN new.fingerprint IS NOT NULL AND ${isSecondary('new')} BEGIN${waits}
END;
CREATE TRIGGER dns_secondary_left AFTER UPDATE OF fingerprint ON nodes
WHEN new.fingerprint IS NOT old.fingerprint BEGIN${leaves('new')}
END;
CREATE TRIGGER dns_secondary_changed AFTER UPDATE OF roles, addresses, state ON nodes
WHEN ${isSecondary('old')} OR ${isSecondary('new')} BEGIN${waits}
END;
CREATE TRIGGER dns_served_gone AFTER DELETE ON nodes BEGIN
  DELETE FROM dns_served WHERE node = old.name;${leaves('old')}
END;
CREATE TRIGGER dns_catalog_left AFTER DELETE ON dns_zones BEGIN${changed}
END;
CREATE TRIGGER dns_catalog_changed AFTER UPDATE OF name, applied_serial ON dns_zones
WHEN old.name <> new.name OR (old.applied_serial IS NULL) <> (new.applied_serial IS NULL) BEGIN${changed}
END;
`

/** Zones of before are given the records by which mail programs find their settings. */
const discovery = `
ALTER TABLE dns_zones ADD COLUMN discovery INTEGER NOT NULL DEFAULT 0 CHECK (discovery IN (0, 1));
`

export const migrations: readonly Migration[] = [
  { name: '0012-dns', sql },
  { name: '0039-dns-discovery', sql: discovery },
]
