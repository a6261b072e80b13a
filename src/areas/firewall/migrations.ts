import type { Migration } from '../../store/migrate.ts'

const sql = `
CREATE TABLE firewall_rules (
  id TEXT PRIMARY KEY,
  action TEXT NOT NULL CHECK (action IN ('allow', 'deny')),
  port INTEGER CHECK (port BETWEEN 1 AND 65535),
  service TEXT,
  proto TEXT NOT NULL CHECK (proto IN ('tcp', 'udp')),
  network TEXT,
  comment TEXT,
  created_at INTEGER NOT NULL,
  change TEXT CHECK (change IN ('adding', 'deleting')),
  change_id TEXT,
  revert_at INTEGER,
  applied INTEGER NOT NULL DEFAULT 0 CHECK (applied IN (0, 1)),
  CHECK ((port IS NULL) <> (service IS NULL)),
  CHECK ((change IS NULL) = (change_id IS NULL) AND (change IS NULL) = (revert_at IS NULL))
) STRICT;
CREATE UNIQUE INDEX firewall_rules_change ON firewall_rules ((1)) WHERE change IS NOT NULL;
`

export const migrations: readonly Migration[] = [{ name: '0037-firewall', sql }]
