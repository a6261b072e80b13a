const digit = "substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + (abs(random()) % 32), 1)"
/** An id with the domain's own timestamp. */
const id = `substr(domains.id, 1, 10) || ${Array(16).fill(digit).join(' || ')}`

/** Gives each main domain a zone; one without name servers is filled at the next start. */
export const sql = `
CREATE TABLE dns_zones (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  domain_id TEXT NOT NULL UNIQUE REFERENCES domains (id) ON DELETE CASCADE,
  name TEXT NOT NULL UNIQUE,
  serial INTEGER NOT NULL,
  applied_serial INTEGER,
  ttl INTEGER NOT NULL,
  refresh INTEGER NOT NULL,
  retry INTEGER NOT NULL,
  expire INTEGER NOT NULL,
  minimum INTEGER NOT NULL,
  nameservers TEXT NOT NULL,
  dnskey TEXT,
  key_tag INTEGER,
  private_key TEXT,
  key_created_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK ((dnskey IS NULL) = (private_key IS NULL))
) STRICT;
CREATE INDEX dns_zones_account ON dns_zones (account_id, id);

CREATE TABLE dns_records (
  id TEXT PRIMARY KEY,
  zone_id TEXT NOT NULL REFERENCES dns_zones (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  ttl INTEGER,
  value TEXT NOT NULL,
  priority INTEGER,
  weight INTEGER,
  port INTEGER,
  flags INTEGER,
  tag TEXT,
  managed INTEGER NOT NULL CHECK (managed IN (0, 1)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX dns_records_zone ON dns_records (zone_id, id);

INSERT INTO dns_zones (id, account_id, domain_id, name, serial, ttl, refresh, retry, expire, minimum, nameservers,
    created_at, updated_at)
  SELECT ${id}, accounts.id, domains.id, domains.name, accounts.zone_serial + 1, 3600, 3600, 900, 1209600, 300, '[]',
    domains.created_at, domains.created_at
  FROM domains JOIN accounts ON accounts.id = domains.account_id WHERE domains.kind = 'main' ORDER BY domains.id;
`
