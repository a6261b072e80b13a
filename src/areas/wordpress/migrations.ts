import type { Migration } from '../../store/migrate.ts'

/** A scan is due after a document root changed, however that came about. */
const sql = `
CREATE TABLE wordpress_sites (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  core_path TEXT NOT NULL,
  version TEXT,
  database TEXT,
  prefix TEXT,
  multisite INTEGER NOT NULL CHECK (multisite IN (0, 1)),
  environment TEXT NOT NULL CHECK (environment IN ('production', 'staging')),
  status TEXT NOT NULL CHECK (status IN ('installing', 'active', 'working', 'unhealthy', 'missing', 'deleting')),
  problem TEXT,
  missing_since INTEGER,
  core_update TEXT,
  plugin_updates INTEGER NOT NULL,
  theme_updates INTEGER NOT NULL,
  auto_update TEXT NOT NULL CHECK (auto_update IN ('off', 'minor', 'security', 'all')),
  window_day INTEGER CHECK (window_day BETWEEN 0 AND 6),
  window_hour INTEGER CHECK (window_hour BETWEEN 0 AND 23),
  checked_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (domain_id, path),
  CHECK ((window_day IS NULL) = (window_hour IS NULL)),
  CHECK ((status = 'missing') = (missing_since IS NOT NULL)),
  CHECK (status <> 'unhealthy' OR problem IS NOT NULL)
) STRICT;
CREATE INDEX wordpress_sites_account ON wordpress_sites (account_id, id);

CREATE TABLE wordpress_scans (
  domain_id TEXT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
  next_at INTEGER NOT NULL
) STRICT;
CREATE INDEX wordpress_scans_next ON wordpress_scans (next_at, domain_id);

INSERT INTO wordpress_scans (domain_id, next_at) SELECT id, 0 FROM domains WHERE kind <> 'parked';
CREATE TRIGGER wordpress_scans_created AFTER INSERT ON domains WHEN NEW.kind <> 'parked' BEGIN
  INSERT INTO wordpress_scans (domain_id, next_at) VALUES (NEW.id, 0);
END;
CREATE TRIGGER wordpress_scans_changed AFTER UPDATE OF document_root ON domains
WHEN NEW.document_root IS NOT OLD.document_root BEGIN
  UPDATE wordpress_scans SET next_at = 0 WHERE domain_id = NEW.id;
END;
`

const links = `
CREATE TABLE wordpress_links (
  file TEXT PRIMARY KEY,
  site_id TEXT NOT NULL REFERENCES wordpress_sites (id) ON DELETE CASCADE,
  until INTEGER NOT NULL
) STRICT;
CREATE INDEX wordpress_links_site ON wordpress_links (site_id);
CREATE INDEX wordpress_links_until ON wordpress_links (until);
`

const installs = `
CREATE TABLE wordpress_installs (
  site_id TEXT PRIMARY KEY REFERENCES wordpress_sites (id) ON DELETE CASCADE,
  database_id TEXT REFERENCES mysql_databases (id) ON DELETE SET NULL,
  user_id TEXT REFERENCES mysql_users (id) ON DELETE SET NULL,
  version TEXT NOT NULL,
  locale TEXT,
  settings TEXT
) STRICT;
CREATE INDEX wordpress_installs_database ON wordpress_installs (database_id);
CREATE INDEX wordpress_installs_user ON wordpress_installs (user_id);
`

const updates = `
CREATE TABLE wordpress_updates (
  site_id TEXT PRIMARY KEY REFERENCES wordpress_sites (id) ON DELETE CASCADE,
  job_id TEXT NOT NULL,
  plugins_path TEXT,
  themes_path TEXT,
  items TEXT NOT NULL,
  database TEXT,
  checksums TEXT,
  expires_at INTEGER NOT NULL,
  CHECK ((database IS NULL) = (checksums IS NULL))
) STRICT;
CREATE INDEX wordpress_updates_expires ON wordpress_updates (expires_at);
`

export const migrations: readonly Migration[] = [
  { name: '0030-wordpress', sql },
  { name: '0034-wordpress-links', sql: links },
  { name: '0038-wordpress-installs', sql: installs },
  { name: '0042-wordpress-updates', sql: updates },
]
