const isServer = "nodes.state <> 'retired' AND EXISTS (SELECT 1 FROM json_each(nodes.roles) WHERE value = 'dns')"

/** Each node with the role dns is to be told of the account's zones, unless the account is on it. */
const owe = `
  INSERT INTO dns_served (node, account_id, due)
    SELECT nodes.name, accounts.id, 1 FROM accounts CROSS JOIN nodes
    WHERE accounts.id = new.account_id AND nodes.name <> accounts.node AND ${isServer}
    ON CONFLICT (node, account_id) DO UPDATE SET due = abs(due) + 1;`

const oweAll = (node: string): string => `
  INSERT INTO dns_served (node, account_id, due)
    SELECT nodes.name, accounts.id, 1 FROM nodes CROSS JOIN accounts
    WHERE ${node} AND accounts.node <> nodes.name AND ${isServer}
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
 * What name servers of nodes have of accounts of other nodes. `due` counts changes that they were not told of; an account
 * that is no more has a row until they were told of that.
 */
export const sql = `
DROP TRIGGER dns_elsewhere_made;
DROP TRIGGER dns_elsewhere_changed;
DROP TRIGGER dns_catalog_left;
DROP TRIGGER dns_catalog_changed;
CREATE TABLE dns_served (
  node TEXT NOT NULL,
  account_id TEXT NOT NULL,
  due INTEGER NOT NULL,
  PRIMARY KEY (node, account_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX dns_served_due ON dns_served (node, account_id) WHERE due <> 0;
CREATE TRIGGER dns_served_made AFTER INSERT ON dns_zones BEGIN${owe}
END;
CREATE TRIGGER dns_served_changed AFTER UPDATE OF serial, name ON dns_zones
WHEN old.serial <> new.serial OR old.name <> new.name BEGIN${owe}
END;
CREATE TRIGGER dns_served_left AFTER DELETE ON dns_zones BEGIN
  UPDATE dns_served SET due = abs(due) + 1 WHERE account_id = old.account_id;
END;
CREATE TRIGGER dns_served_node AFTER INSERT ON nodes BEGIN${oweAll('nodes.name = new.name')}
END;
CREATE TRIGGER dns_served_roles AFTER UPDATE OF roles, state ON nodes
WHEN old.roles <> new.roles OR (old.state = 'retired' AND new.state <> 'retired') BEGIN
  ${again}${oweAll('nodes.name = new.name')}
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
ALTER TABLE dns_peers ADD COLUMN node TEXT;
ALTER TABLE dns_peers ADD COLUMN told TEXT;
${oweAll('TRUE').trim()}
`
