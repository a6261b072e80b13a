import type { Migration } from '../../store/migrate.ts'

/**
 * A domain has one certificate in use. The previous one stays, not in use, until the host has the new one, which is then marked
 * `applied`. `autossl` has a domain's settings and the result of its last attempt; without a row, the server's settings apply.
 * Challenge responses exist while an order is running: in a zone or, without one, in a file.
 */
const sql = `
CREATE TABLE csrs (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  names TEXT NOT NULL,
  key_type TEXT NOT NULL CHECK (key_type IN ('ec-p256', 'rsa-2048')),
  csr TEXT NOT NULL,
  private_key TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX csrs_account ON csrs (account_id, id);
CREATE INDEX csrs_domain ON csrs (domain_id);

CREATE TABLE autossl (
  domain_id TEXT PRIMARY KEY REFERENCES domains (id) ON DELETE CASCADE,
  enabled INTEGER CHECK (enabled IN (0, 1)),
  challenge TEXT CHECK (challenge IN ('http-01', 'dns-01')),
  last_attempt_at INTEGER,
  last_error TEXT,
  failures INTEGER NOT NULL,
  next_attempt_at INTEGER,
  failing_since INTEGER,
  wait_until INTEGER
) STRICT;
CREATE INDEX autossl_failing ON autossl (failing_since) WHERE failing_since IS NOT NULL;

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

CREATE TABLE certificates (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('self_signed', 'custom', 'acme', 'imported')),
  domains TEXT NOT NULL,
  subject TEXT NOT NULL,
  issuer TEXT NOT NULL,
  serial_number TEXT NOT NULL,
  key_type TEXT NOT NULL,
  not_before INTEGER NOT NULL,
  not_after INTEGER NOT NULL,
  fingerprint_sha256 TEXT NOT NULL,
  trusted INTEGER NOT NULL CHECK (trusted IN (0, 1)),
  certificate TEXT NOT NULL,
  ca_bundle TEXT NOT NULL,
  private_key TEXT NOT NULL,
  used INTEGER NOT NULL CHECK (used IN (0, 1)),
  applied INTEGER NOT NULL CHECK (applied IN (0, 1)),
  notified_days INTEGER,
  expiring_since INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX certificates_used ON certificates (domain_id) WHERE used = 1;
CREATE UNIQUE INDEX certificates_former ON certificates (domain_id) WHERE used = 0;
CREATE INDEX certificates_account ON certificates (account_id, id);
CREATE INDEX certificates_end ON certificates (kind, not_after);
CREATE INDEX certificates_expiring ON certificates (expiring_since) WHERE expiring_since IS NOT NULL;
`

export const migrations: readonly Migration[] = [{ name: '0013-ssl', sql }]
