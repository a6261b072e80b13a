import type { Migration } from '../../store/migrate.ts'

const sql = `
CREATE TABLE bans (
  id TEXT PRIMARY KEY,
  address TEXT NOT NULL,
  service TEXT NOT NULL,
  failures INTEGER NOT NULL,
  reason TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL,
  lifted_at INTEGER,
  origin TEXT NOT NULL CHECK (origin IN ('system', 'root', 'node')),
  node TEXT,
  accounts TEXT NOT NULL,
  only_there INTEGER NOT NULL CHECK (only_there IN (0, 1)),
  sample TEXT NOT NULL,
  seq INTEGER NOT NULL UNIQUE,
  announced TEXT NOT NULL CHECK (announced IN ('none', 'banned', 'unbanned'))
) STRICT;
CREATE INDEX bans_address ON bans (address, since);
CREATE INDEX bans_until ON bans (until);
CREATE INDEX bans_unannounced ON bans (announced) WHERE announced = 'none' OR (announced = 'banned' AND lifted_at IS NOT NULL);

CREATE TABLE ban_lifts (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX ban_lifts_account ON ban_lifts (account_id, at);
`

export const migrations: readonly Migration[] = [{ name: '0033-bans', sql }]
