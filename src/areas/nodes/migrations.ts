import type { Migration } from '../../store/migrate.ts'

/**
 * Nodes count their accounts, and keep what is shown of them while they are away. `fleet_keys`: the authority that signs for
 * nodes, its announced successor, its predecessors, and the node port's key.
 */
const sql = `
CREATE TABLE nodes (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  roles TEXT NOT NULL,
  labels TEXT NOT NULL DEFAULT '[]',
  addresses TEXT NOT NULL DEFAULT '[]',
  state TEXT NOT NULL CHECK (state IN ('joining', 'active', 'draining', 'retired')),
  next_uid INTEGER NOT NULL,
  accounts INTEGER NOT NULL DEFAULT 0,
  disk_free_mb INTEGER,
  version TEXT,
  protocol INTEGER,
  last_seen_at INTEGER,
  join_secret_hash TEXT,
  join_expires_at INTEGER,
  fingerprint TEXT,
  certificate_expires_at INTEGER,
  revoked_at INTEGER,
  incompatible TEXT,
  created_at INTEGER NOT NULL,
  joined_at INTEGER,
  down_at INTEGER,
  expiry_told_at INTEGER,
  driver TEXT,
  hostname TEXT
) STRICT;
CREATE UNIQUE INDEX nodes_fingerprint ON nodes (fingerprint) WHERE fingerprint IS NOT NULL;

CREATE TABLE fleet_keys (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('authority', 'port')),
  state TEXT NOT NULL CHECK (state IN ('next', 'current', 'former')),
  since INTEGER NOT NULL,
  certificate TEXT,
  private_key TEXT NOT NULL,
  not_after INTEGER
) STRICT;
CREATE UNIQUE INDEX fleet_keys_current ON fleet_keys (kind) WHERE state = 'current';
CREATE UNIQUE INDEX fleet_keys_next ON fleet_keys (kind) WHERE state = 'next';

CREATE TRIGGER nodes_account_add AFTER INSERT ON accounts BEGIN
  UPDATE nodes SET accounts = accounts + 1 WHERE name = new.node;
END;
CREATE TRIGGER nodes_account_remove AFTER DELETE ON accounts BEGIN
  UPDATE nodes SET accounts = accounts - 1 WHERE name = old.node;
END;
`

export const migrations: readonly Migration[] = [{ name: '0010-nodes', sql }]
