import type { Migration } from '../../store/migrate.ts'

const sql = `
CREATE TABLE log_places (
  log TEXT PRIMARY KEY,
  domain_id TEXT REFERENCES domains (id) ON DELETE CASCADE,
  file TEXT NOT NULL,
  offset INTEGER NOT NULL
) STRICT;
CREATE INDEX log_places_domain ON log_places (domain_id);

CREATE TABLE traffic_days (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  web_in INTEGER NOT NULL,
  web_out INTEGER NOT NULL,
  ftp INTEGER NOT NULL,
  mail INTEGER NOT NULL,
  PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE visitor_salts (
  day TEXT PRIMARY KEY,
  salt TEXT NOT NULL
) STRICT;

CREATE TABLE visitor_days (
  id INTEGER PRIMARY KEY,
  domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  day TEXT NOT NULL,
  requests INTEGER NOT NULL,
  visitors INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  bots INTEGER NOT NULL,
  top TEXT NOT NULL,
  open INTEGER NOT NULL CHECK (open IN (0, 1)),
  UNIQUE (domain_id, day)
) STRICT;
CREATE INDEX visitor_days_open ON visitor_days (day) WHERE open = 1;

CREATE TABLE visitor_hashes (
  visitor_day INTEGER NOT NULL REFERENCES visitor_days (id) ON DELETE CASCADE,
  hash TEXT NOT NULL,
  PRIMARY KEY (visitor_day, hash)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_points (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  step TEXT NOT NULL CHECK (step IN ('hour', 'day')),
  at INTEGER NOT NULL,
  until INTEGER NOT NULL CHECK (until >= at),
  disk_mb INTEGER NOT NULL,
  inodes INTEGER NOT NULL,
  cpu_ms INTEGER,
  memory_mb INTEGER,
  PRIMARY KEY (account_id, step, at)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage_cpu (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  total_ms INTEGER NOT NULL
) STRICT;
`

export const migrations: readonly Migration[] = [{ name: '0022-logs', sql }]
