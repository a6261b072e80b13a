import type { Migration } from '../../store/migrate.ts'

/**
 * Domains, what shows that their names are the account's, and what is due for their sites. A check of `.htaccess` files is due
 * after the site's root or handler changed, however that came about.
 */
const sql = `
CREATE TABLE domains (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL UNIQUE,
  reversed TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('main', 'addon', 'sub', 'parked')),
  parent_id TEXT REFERENCES domains (id) ON DELETE CASCADE,
  document_root TEXT,
  app_id TEXT,
  https_redirect INTEGER NOT NULL CHECK (https_redirect IN (0, 1)),
  applied TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('provisioning', 'active', 'deleting')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  rules TEXT NOT NULL DEFAULT '{}',
  handler TEXT NOT NULL DEFAULT 'php'
  CHECK (handler IN ('static', 'php', 'php-front', 'apache', 'app')),
  CHECK ((parent_id IS NULL) = (kind IN ('main', 'addon'))),
  CHECK ((document_root IS NULL) = (kind = 'parked'))
) STRICT;
CREATE INDEX domains_account ON domains (account_id, id);
CREATE UNIQUE INDEX domains_main ON domains (account_id) WHERE kind = 'main';
CREATE INDEX domains_parent ON domains (parent_id);
CREATE INDEX domains_kind ON domains (kind, id);
CREATE INDEX domains_status ON domains (status, id);
CREATE INDEX domains_php_version ON domains (json_extract(rules, '$.php_version'), account_id)
  WHERE json_extract(rules, '$.php_version') IS NOT NULL;

CREATE TABLE redirects (
  id TEXT PRIMARY KEY,
  domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  path TEXT NOT NULL,
  match TEXT NOT NULL CHECK (match IN ('exact', 'prefix')),
  target TEXT NOT NULL,
  status INTEGER NOT NULL CHECK (status IN (301, 302, 307, 308)),
  keep_path INTEGER NOT NULL CHECK (keep_path IN (0, 1)),
  applied INTEGER NOT NULL CHECK (applied IN (0, 1)),
  removed INTEGER NOT NULL CHECK (removed IN (0, 1)),
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX redirects_path ON redirects (domain_id, path, match) WHERE removed = 0;
CREATE INDEX redirects_domain ON redirects (domain_id, id);

CREATE TABLE domain_verifications (
  domain_id TEXT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL,
  verified_by TEXT CHECK (verified_by IN ('ns', 'mx', 'address', 'certificate', 'txt', 'root', 'upgrade')),
  verified_at INTEGER,
  challenge_only INTEGER NOT NULL CHECK (challenge_only IN (0, 1)),
  started_at INTEGER,
  checked_at INTEGER,
  next_check_at INTEGER,
  reason TEXT NOT NULL,
  found TEXT NOT NULL,
  is_delegated INTEGER CHECK (is_delegated IN (0, 1)),
  public_routing TEXT CHECK (public_routing IN ('local', 'remote', 'backup')),
  missing_since INTEGER,
  notice_at INTEGER,
  CHECK ((verified_by IS NULL) = (verified_at IS NULL))
) STRICT;
CREATE INDEX domain_verifications_due ON domain_verifications (next_check_at) WHERE next_check_at IS NOT NULL;
CREATE INDEX domain_verifications_notice ON domain_verifications (notice_at) WHERE notice_at IS NOT NULL;
CREATE INDEX domain_verifications_unverified ON domain_verifications (account_id) WHERE verified_by IS NULL;
CREATE INDEX domain_verifications_upgraded ON domain_verifications (domain_id) WHERE verified_by = 'upgrade';

CREATE TABLE released_names (
  name TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  released_at INTEGER NOT NULL
) STRICT;
CREATE INDEX released_names_at ON released_names (released_at);

CREATE TABLE claimed_names (
  name TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  until INTEGER NOT NULL
) STRICT;
CREATE INDEX claimed_names_account ON claimed_names (account_id);

CREATE TABLE lost_names (
  domain_id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  lost_at INTEGER NOT NULL
) STRICT;
CREATE INDEX lost_names_at ON lost_names (lost_at);
CREATE INDEX lost_names_account ON lost_names (account_id);

CREATE TABLE contested_names (
  domain_id TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  claimed_at INTEGER NOT NULL,
  PRIMARY KEY (domain_id, account_id)
) STRICT;
CREATE INDEX contested_names_at ON contested_names (claimed_at);
CREATE INDEX contested_names_account ON contested_names (account_id);

CREATE TABLE previews (
  domain_id TEXT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
  label TEXT NOT NULL UNIQUE,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX previews_expiry ON previews (expires_at);

CREATE TABLE htaccess_checks (
  domain_id TEXT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
  next_at INTEGER NOT NULL,
  ignored_since INTEGER
) STRICT;
CREATE INDEX htaccess_checks_next ON htaccess_checks (next_at, domain_id);
CREATE INDEX htaccess_ignored ON htaccess_checks (ignored_since, domain_id) WHERE ignored_since IS NOT NULL;

CREATE TRIGGER htaccess_checks_created AFTER INSERT ON domains WHEN NEW.kind <> 'parked' BEGIN
  INSERT INTO htaccess_checks (domain_id, next_at) VALUES (NEW.id, 0);
END;
CREATE TRIGGER htaccess_checks_changed AFTER UPDATE OF document_root, handler ON domains
WHEN NEW.document_root IS NOT OLD.document_root OR NEW.handler IS NOT OLD.handler BEGIN
  UPDATE htaccess_checks SET next_at = 0 WHERE domain_id = NEW.id;
END;
`

export const migrations: readonly Migration[] = [{ name: '0011-domains', sql }]
