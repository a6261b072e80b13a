import type { Migration } from '../../store/migrate.ts'

/** A target has one relay. */
const sql = `
CREATE TABLE mail_relays (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  host TEXT NOT NULL,
  port INTEGER NOT NULL CHECK (port IN (25, 465, 587, 2525)),
  tls TEXT NOT NULL CHECK (tls IN ('starttls', 'tls')),
  username TEXT,
  password TEXT,
  kind TEXT NOT NULL CHECK (kind IN ('server', 'accounts', 'domains')),
  status TEXT NOT NULL CHECK (status IN ('active', 'deleting')),
  tested_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK ((username IS NULL) = (password IS NULL))
) STRICT;

CREATE TABLE mail_relay_targets (
  relay_id TEXT NOT NULL REFERENCES mail_relays (id) ON DELETE CASCADE,
  account_id TEXT REFERENCES accounts (id) ON DELETE CASCADE,
  domain_id TEXT REFERENCES domains (id) ON DELETE CASCADE,
  gone INTEGER NOT NULL CHECK (gone IN (0, 1)),
  CHECK (account_id IS NULL OR domain_id IS NULL)
) STRICT;
CREATE INDEX mail_relay_targets_relay ON mail_relay_targets (relay_id);
CREATE INDEX mail_relay_targets_account ON mail_relay_targets (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX mail_relay_targets_domain ON mail_relay_targets (domain_id) WHERE domain_id IS NOT NULL;
CREATE UNIQUE INDEX mail_relay_targets_once ON mail_relay_targets (ifnull(account_id, ''), ifnull(domain_id, ''))
WHERE gone = 0;
`

export const migrations: readonly Migration[] = [{ name: '0031-relays', sql }]
