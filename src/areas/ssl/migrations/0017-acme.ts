/**
 * A domain's AutoSSL settings and the result of its last attempt; without a row, the server's settings apply. Challenge
 * responses exist while an order is running: in a zone or, without one, in a file.
 */
export const sql = `
CREATE TABLE autossl (
  domain_id TEXT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
  enabled INTEGER CHECK (enabled IN (0, 1)),
  challenge TEXT CHECK (challenge IN ('http-01', 'dns-01')),
  last_attempt_at INTEGER,
  last_error TEXT,
  failures INTEGER NOT NULL,
  next_attempt_at INTEGER
) STRICT;

CREATE TABLE acme_accounts (
  directory TEXT PRIMARY KEY,
  private_key TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE acme_challenges (
  domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  zone_id TEXT REFERENCES dns_zones (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  value TEXT NOT NULL
) STRICT;
CREATE INDEX acme_challenges_domain ON acme_challenges (domain_id);
CREATE INDEX acme_challenges_account ON acme_challenges (account_id);
CREATE INDEX acme_challenges_zone ON acme_challenges (zone_id);
`
