/**
 * A domain has one certificate in use. The previous one stays, not in use, until the host has the new one, which is
 * then marked `applied`.
 */
export const sql = `
CREATE TABLE certificates (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  domain_id TEXT NOT NULL REFERENCES domains (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('self_signed', 'custom', 'acme')),
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
  created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX certificates_used ON certificates (domain_id) WHERE used = 1;
CREATE UNIQUE INDEX certificates_former ON certificates (domain_id) WHERE used = 0;
CREATE INDEX certificates_account ON certificates (account_id, id);
CREATE INDEX certificates_end ON certificates (kind, not_after);

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
`
