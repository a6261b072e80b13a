import type { Migration } from '../../store/migrate.ts'

/** Counts a change of mail routes. */
const counting = (table: string, when: string, name: string): string =>
  `CREATE TRIGGER mail_routes_${name} AFTER ${when} ON ${table} BEGIN UPDATE mail_routes SET changed = changed + 1; END;`

/** Mail of domains, and loops of mail through any accounts: `mail_routes` counts the changes that can make or end one. */
const sql = `
CREATE TABLE email_domains (
  domain_id TEXT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  routing TEXT NOT NULL CHECK (routing IN ('auto', 'local', 'remote', 'backup')),
  told_routing TEXT NOT NULL CHECK (told_routing IN ('local', 'remote', 'backup')),
  catch_all TEXT,
  dkim INTEGER NOT NULL CHECK (dkim IN (0, 1)),
  checked TEXT,
  created_at INTEGER NOT NULL,
  differs_since INTEGER
) STRICT;
CREATE INDEX email_domains_account ON email_domains (account_id, domain_id);
CREATE INDEX email_domains_differ ON email_domains (differs_since) WHERE differs_since IS NOT NULL;

CREATE TABLE email_keys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  private_key TEXT NOT NULL,
  public_key TEXT NOT NULL,
  retired_at INTEGER,
  created_at INTEGER NOT NULL,
  UNIQUE (domain_id, number)
) STRICT;
CREATE INDEX email_keys_account ON email_keys (account_id, id);
CREATE INDEX email_keys_retired ON email_keys (retired_at) WHERE retired_at IS NOT NULL;

CREATE TABLE email_mailboxes (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  local TEXT NOT NULL,
  hash TEXT NOT NULL,
  password_changed_at INTEGER NOT NULL,
  quota_mb INTEGER,
  max_per_hour INTEGER,
  suspended_login INTEGER NOT NULL CHECK (suspended_login IN (0, 1)),
  suspended_outgoing INTEGER NOT NULL CHECK (suspended_outgoing IN (0, 1)),
  suspended_incoming INTEGER NOT NULL CHECK (suspended_incoming IN (0, 1)),
  used_bytes INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  measured_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('creating', 'active', 'deleting')),
  created_at INTEGER NOT NULL,
  quota_bytes INTEGER GENERATED ALWAYS AS (quota_mb * 1048576) VIRTUAL,
  near_since INTEGER,
  near_step INTEGER NOT NULL DEFAULT 0,
  UNIQUE (domain_id, local)
) STRICT;
CREATE INDEX email_mailboxes_account ON email_mailboxes (account_id, id);
CREATE INDEX email_mailboxes_local ON email_mailboxes (local);
CREATE INDEX email_mailboxes_near_since ON email_mailboxes (near_since) WHERE near_since IS NOT NULL;

CREATE TABLE email_autoresponders (
  mailbox_id TEXT PRIMARY KEY REFERENCES email_mailboxes (id) ON DELETE CASCADE,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  subject TEXT NOT NULL,
  body TEXT NOT NULL,
  starts_on TEXT,
  ends_on TEXT,
  interval_days INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE email_forwarders (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  local TEXT NOT NULL,
  destinations TEXT NOT NULL,
  keep_copy INTEGER NOT NULL CHECK (keep_copy IN (0, 1)),
  status TEXT NOT NULL CHECK (status IN ('creating', 'active', 'deleting')),
  created_at INTEGER NOT NULL,
  UNIQUE (domain_id, local)
) STRICT;
CREATE INDEX email_forwarders_account ON email_forwarders (account_id, id);
CREATE INDEX email_forwarders_local ON email_forwarders (local);

CREATE TABLE email_accounts (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  spam_score INTEGER NOT NULL,
  sent_this_hour INTEGER NOT NULL,
  measured_at INTEGER NOT NULL
) STRICT;

CREATE TABLE email_filters (
  mailbox_id TEXT PRIMARY KEY REFERENCES email_mailboxes (id) ON DELETE CASCADE,
  filters TEXT NOT NULL
) STRICT;

CREATE TABLE mail_loops (
  object_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  via TEXT NOT NULL CHECK (via IN ('forwarder', 'filter', 'catch-all', 'contact')),
  address TEXT NOT NULL,
  next TEXT NOT NULL,
  since INTEGER NOT NULL
) STRICT;
CREATE INDEX mail_loops_since ON mail_loops (since, object_id);
CREATE INDEX mail_loops_account ON mail_loops (account_id);

CREATE TABLE mail_routes (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  changed INTEGER NOT NULL,
  checked INTEGER NOT NULL
) STRICT;

INSERT INTO mail_routes (id, changed, checked) VALUES (1, 1, 0);
${counting('email_forwarders', 'INSERT', 'forwarder_created')}
${counting('email_forwarders', 'UPDATE OF local, destinations, keep_copy, status', 'forwarder_changed')}
${counting('email_forwarders', 'DELETE', 'forwarder_deleted')}
${counting('email_filters', 'INSERT', 'filters_created')}
${counting('email_filters', 'UPDATE', 'filters_changed')}
${counting('email_filters', 'DELETE', 'filters_deleted')}
${counting('email_mailboxes', 'INSERT', 'mailbox_created')}
${counting('email_mailboxes', 'UPDATE OF status, suspended_incoming', 'mailbox_changed')}
${counting('email_mailboxes', 'DELETE', 'mailbox_deleted')}
${counting('email_domains', 'UPDATE OF catch_all, told_routing', 'domain_changed')}
${counting('email_domains', 'DELETE', 'domain_deleted')}
${counting('domains', 'UPDATE OF name', 'domain_renamed')}
${counting('accounts', 'UPDATE OF username, main_domain, contact_email, mail_node', 'account_changed')}
`

/** Policies by which senders must encrypt. */
const mtaSts = `
CREATE TABLE email_mta_sts (
  domain_id TEXT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  mode TEXT NOT NULL CHECK (mode IN ('none', 'testing', 'enforce')),
  policy_id INTEGER NOT NULL,
  mx TEXT NOT NULL,
  is_stale INTEGER NOT NULL CHECK (is_stale IN (0, 1)),
  ends_at INTEGER,
  created_at INTEGER NOT NULL,
  CHECK ((mode = 'none') = (ends_at IS NOT NULL))
) STRICT;
CREATE INDEX email_mta_sts_account ON email_mta_sts (account_id);
`

/** Relays of customers. The new feature is off in all lists but the first until it is switched on. */
const relays = `
CREATE TABLE email_relays (
  domain_id TEXT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  host TEXT NOT NULL,
  port INTEGER NOT NULL CHECK (port IN (25, 465, 587, 2525)),
  tls TEXT NOT NULL CHECK (tls IN ('starttls', 'tls')),
  username TEXT,
  password TEXT,
  checked_at INTEGER,
  refused_since INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK ((username IS NULL) = (password IS NULL))
) STRICT;
CREATE INDEX email_relays_account ON email_relays (account_id);
CREATE INDEX email_relays_checked ON email_relays (checked_at);

UPDATE feature_lists SET features = json_set(features, '$.smtp_relay', json('false')) WHERE name <> 'default';
`

export const migrations: readonly Migration[] = [
  { name: '0015-email', sql },
  { name: '0043-mta-sts', sql: mtaSts },
  { name: '0044-email-relays', sql: relays },
]
