/** `alice.example` as `example.alice.`, label by label. */
const reversed = `
WITH RECURSIVE parts (id, rest, reversed) AS (
  SELECT id, main_domain || '.', '' FROM accounts
  UNION ALL
  SELECT id, substr(rest, instr(rest, '.') + 1), substr(rest, 1, instr(rest, '.')) || reversed
    FROM parts WHERE rest <> ''
)
SELECT id, reversed FROM parts WHERE rest = ''`

const digit = "substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (abs(random()) % 32), 1)"
/** Made at the account's own time. */
const id = `substr(accounts.id, 1, 10) || ${Array(16).fill(digit).join(' || ')}`

/** Turns each account's main domain into a row like any other. */
export const sql = `
CREATE TABLE domains (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL UNIQUE,
  reversed TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('main', 'addon', 'sub', 'parked')),
  parent_id TEXT REFERENCES domains (id) ON DELETE CASCADE,
  document_root TEXT,
  handler TEXT NOT NULL CHECK (handler IN ('static', 'php', 'php-front', 'app')),
  app_id TEXT,
  https_redirect INTEGER NOT NULL CHECK (https_redirect IN (0, 1)),
  applied TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('provisioning', 'active', 'deleting')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK ((parent_id IS NULL) = (kind IN ('main', 'addon'))),
  CHECK ((document_root IS NULL) = (kind = 'parked'))
) STRICT;
CREATE INDEX domains_account ON domains (account_id, id);
CREATE UNIQUE INDEX domains_main ON domains (account_id) WHERE kind = 'main';
CREATE INDEX domains_parent ON domains (parent_id);

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

INSERT INTO domains (id, account_id, name, reversed, kind, document_root, handler, https_redirect, applied, status,
    created_at, updated_at)
  SELECT ${id}, accounts.id, main_domain, names.reversed, 'main', 'sites/' || main_domain || '/public', 'php', 0,
    json_object('document_root', 'sites/' || main_domain || '/public', 'handler', 'php', 'app_id', NULL,
      'https_redirect', json('false')),
    CASE WHEN provisioned THEN 'active' ELSE 'provisioning' END, created_at, created_at
  FROM accounts JOIN (${reversed}) AS names ON names.id = accounts.id ORDER BY accounts.id;
`
