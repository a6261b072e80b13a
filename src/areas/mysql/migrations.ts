import type { Migration } from '../../store/migrate.ts'

/** The account's count of databases follows its rows. */
const sql = `
CREATE TABLE mysql_databases (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL UNIQUE,
  collation TEXT NOT NULL,
  used_bytes INTEGER NOT NULL,
  measured_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('creating', 'active', 'deleting')),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX mysql_databases_account ON mysql_databases (account_id, id);

CREATE TABLE mysql_users (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL UNIQUE,
  password_hash TEXT NOT NULL,
  password_changed_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('creating', 'active', 'deleting')),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX mysql_users_account ON mysql_users (account_id, id);

CREATE TABLE mysql_grants (
  database_id TEXT NOT NULL REFERENCES mysql_databases (id) ON DELETE CASCADE,
  user_id TEXT NOT NULL REFERENCES mysql_users (id) ON DELETE CASCADE,
  privileges TEXT NOT NULL,
  PRIMARY KEY (database_id, user_id)
) STRICT;
CREATE INDEX mysql_grants_user ON mysql_grants (user_id);

CREATE TABLE mysql_hosts (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  host TEXT NOT NULL,
  applied INTEGER NOT NULL CHECK (applied IN (0, 1)),
  status TEXT NOT NULL CHECK (status IN ('creating', 'active', 'deleting')),
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, host)
) STRICT;

CREATE TABLE mysql_imports (
  database_id TEXT PRIMARY KEY REFERENCES mysql_databases (id) ON DELETE CASCADE,
  job_id TEXT NOT NULL,
  finished_at INTEGER NOT NULL,
  tables INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  warnings TEXT NOT NULL
) STRICT;

CREATE TABLE mysql_exports (
  database_id TEXT PRIMARY KEY REFERENCES mysql_databases (id) ON DELETE CASCADE,
  job_id TEXT NOT NULL,
  file TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;

CREATE TRIGGER mysql_databases_insert AFTER INSERT ON mysql_databases BEGIN
  UPDATE accounts SET db_count = db_count + 1 WHERE id = NEW.account_id;
END;
CREATE TRIGGER mysql_databases_delete AFTER DELETE ON mysql_databases BEGIN
  UPDATE accounts SET db_count = db_count - 1 WHERE id = OLD.account_id;
END;
`

export const migrations: readonly Migration[] = [{ name: '0016-mysql', sql }]
