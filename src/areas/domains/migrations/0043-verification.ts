/** The domains there are get 30 days to be verified by their DNS. `verified_at` 0: the server's start completes it. */
export const sql = `
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

INSERT INTO domain_verifications (domain_id, account_id, verified_by, verified_at, challenge_only, reason, found)
  SELECT id, account_id, 'upgrade', 0, 0, '', '{"ns":[],"mx":[],"addresses":[]}' FROM domains WHERE kind <> 'sub';
`
