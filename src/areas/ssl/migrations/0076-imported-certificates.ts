const columns = `id, account_id, domain_id, kind, domains, subject, issuer, serial_number, key_type, not_before, not_after,
  fingerprint_sha256, trusted, certificate, ca_bundle, private_key, used, applied, notified_days, expiring_since, created_at`

/** Certificates that came with an import and that AutoSSL renews. SQLite needs a new table to change a check. */
export const sql = `
CREATE TABLE certificates_made (
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
INSERT INTO certificates_made (${columns}) SELECT ${columns} FROM certificates;
DROP TABLE certificates;
ALTER TABLE certificates_made RENAME TO certificates;
CREATE UNIQUE INDEX certificates_used ON certificates (domain_id) WHERE used = 1;
CREATE UNIQUE INDEX certificates_former ON certificates (domain_id) WHERE used = 0;
CREATE INDEX certificates_account ON certificates (account_id, id);
CREATE INDEX certificates_end ON certificates (kind, not_after);
CREATE INDEX certificates_expiring ON certificates (expiring_since) WHERE expiring_since IS NOT NULL;
`
