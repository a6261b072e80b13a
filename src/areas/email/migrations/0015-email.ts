/** Gives every existing domain mail; subdomains are not signed until asked for. */
export const sql = `
CREATE TABLE email_domains (
  domain_id TEXT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  routing TEXT NOT NULL CHECK (routing IN ('auto', 'local', 'remote', 'backup')),
  told_routing TEXT NOT NULL CHECK (told_routing IN ('local', 'remote', 'backup')),
  catch_all TEXT,
  dkim INTEGER NOT NULL CHECK (dkim IN (0, 1)),
  checked TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX email_domains_account ON email_domains (account_id, domain_id);

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
  UNIQUE (domain_id, local)
) STRICT;
CREATE INDEX email_mailboxes_account ON email_mailboxes (account_id, id);
CREATE INDEX email_mailboxes_local ON email_mailboxes (local);

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

INSERT INTO email_domains (domain_id, account_id, routing, told_routing, dkim, created_at)
  SELECT domains.id, domains.account_id,
    CASE kind WHEN 'main' THEN accounts.mail_routing ELSE 'auto' END,
    CASE WHEN kind = 'main' AND accounts.mail_routing IN ('remote', 'backup') THEN accounts.mail_routing
      ELSE 'local' END,
    kind <> 'sub', domains.created_at
  FROM domains JOIN accounts ON accounts.id = domains.account_id
  WHERE substr(domains.name, 1, 2) <> '*.' ORDER BY domains.id;
`
