const elsewhere = "(SELECT node FROM accounts WHERE accounts.id = new.account_id) <> 'local'"
const note = `
  INSERT INTO dns_catalog_changes (place, waiting) VALUES (1, 1) ON CONFLICT (place) DO UPDATE SET waiting = 1;`

/** Zones of accounts on other nodes are told to the control plane's own node, as what no account there owns. */
export const sql = `
CREATE TRIGGER dns_elsewhere_made AFTER INSERT ON dns_zones WHEN ${elsewhere} BEGIN${note}
END;
CREATE TRIGGER dns_elsewhere_changed AFTER UPDATE OF serial ON dns_zones
WHEN old.serial <> new.serial AND ${elsewhere} BEGIN${note}
END;
`
