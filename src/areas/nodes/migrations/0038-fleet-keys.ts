/** The authority that signs for nodes, its announced successor, its predecessors, and the node port's key. */
export const sql = `
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

ALTER TABLE nodes ADD COLUMN down_at INTEGER;
ALTER TABLE nodes ADD COLUMN expiry_told_at INTEGER;
`
