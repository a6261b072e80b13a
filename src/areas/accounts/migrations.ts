import type { Migration } from '../../store/migrate.ts'

/** A name has 16 characters at most. */
const places = `(VALUES ${Array.from({ length: 16 }, (_, place) => `(${place + 1})`).join(', ')})`

const ends = (row: string): string =>
  `SELECT substr(${row}.username, column1), ${row}.id FROM ${places} WHERE column1 <= length(${row}.username)`

/** Each suffix of a name is stored, since every part is the prefix of one: `lic` of `alice` is a prefix of `lice`. */
const add = `INSERT INTO account_name_ends (ending, id) ${ends('new')};`
const remove = `DELETE FROM account_name_ends WHERE (ending, id) IN (${ends('old')});`

/** `at_least`: the home holds more than was counted. An account that an import has made is held until it is activated. */
const sql = `
CREATE TABLE account_name_ends (
  ending TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (ending, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE accounts (
  id TEXT PRIMARY KEY,
  username TEXT NOT NULL UNIQUE,
  main_domain TEXT NOT NULL UNIQUE,
  contact_email TEXT NOT NULL,
  password_hash TEXT,
  password_changed_at INTEGER,
  owner_id TEXT NOT NULL,
  package_id TEXT NOT NULL REFERENCES packages (id) ON DELETE RESTRICT,
  ip_id TEXT NOT NULL REFERENCES ips (id) ON DELETE RESTRICT,
  uid INTEGER NOT NULL,
  home_dir TEXT NOT NULL,
  db_prefix TEXT NOT NULL UNIQUE,
  shell TEXT NOT NULL,
  theme TEXT NOT NULL,
  locale TEXT NOT NULL,
  mail_routing TEXT NOT NULL CHECK (mail_routing IN ('auto', 'local', 'remote', 'backup')),
  cgi INTEGER NOT NULL CHECK (cgi IN (0, 1)),
  spam_box INTEGER NOT NULL CHECK (spam_box IN (0, 1)),
  spam_filter INTEGER NOT NULL CHECK (spam_filter IN (0, 1)),
  make_reseller INTEGER NOT NULL CHECK (make_reseller IN (0, 1)),
  bw_limit_mb INTEGER,
  disk_quota_mb INTEGER,
  inodes_limit INTEGER,
  default_email_quota_mb INTEGER,
  max_email_quota_mb INTEGER,
  max_addon INTEGER,
  max_email INTEGER,
  max_email_per_hour INTEGER,
  max_ftp INTEGER,
  max_parked INTEGER,
  max_sql INTEGER,
  max_sub INTEGER,
  php_max_children INTEGER,
  bw_used_month_mb INTEGER NOT NULL DEFAULT 0,
  disk_used_mb INTEGER NOT NULL DEFAULT 0,
  inodes_used INTEGER NOT NULL DEFAULT 0,
  db_count INTEGER NOT NULL DEFAULT 0,
  db_used_bytes INTEGER NOT NULL DEFAULT 0,
  measured_at INTEGER NOT NULL,
  zone_serial INTEGER NOT NULL,
  applied_username TEXT,
  provisioned INTEGER NOT NULL DEFAULT 0 CHECK (provisioned IN (0, 1)),
  terminating INTEGER NOT NULL DEFAULT 0 CHECK (terminating IN (0, 1)),
  suspended_at INTEGER,
  suspended_by TEXT,
  suspend_reason TEXT NOT NULL DEFAULT '',
  suspend_locked INTEGER NOT NULL DEFAULT 0 CHECK (suspend_locked IN (0, 1)),
  created_at INTEGER NOT NULL,
  suspended_with TEXT,
  generation INTEGER NOT NULL DEFAULT 0 CHECK (generation >= 0),
  at_least INTEGER NOT NULL DEFAULT 0 CHECK (at_least IN (0, 1)),
  disk_near_since INTEGER,
  inodes_near_since INTEGER,
  bw_near_since INTEGER,
  node TEXT NOT NULL DEFAULT 'local',
  mail_node TEXT NOT NULL DEFAULT 'local',
  database_node TEXT NOT NULL DEFAULT 'local',
  importing_since INTEGER,
  status TEXT GENERATED ALWAYS AS (
  CASE WHEN terminating THEN 'terminating' WHEN importing_since IS NOT NULL AND provisioned THEN 'importing'
    WHEN suspended_at IS NOT NULL THEN 'suspended' WHEN provisioned THEN 'active' ELSE 'provisioning' END) VIRTUAL,
  ip6_id TEXT REFERENCES ips (id) ON DELETE RESTRICT,
  disk_near_step INTEGER NOT NULL DEFAULT 0,
  UNIQUE (node, uid)
) STRICT;
CREATE INDEX accounts_owner ON accounts (owner_id, id);
CREATE INDEX accounts_package ON accounts (package_id);
CREATE INDEX accounts_ip ON accounts (ip_id);
CREATE INDEX accounts_over_quota ON accounts (id) WHERE disk_used_mb > disk_quota_mb;
CREATE INDEX accounts_disk_near_since ON accounts (disk_near_since) WHERE disk_near_since IS NOT NULL;
CREATE INDEX accounts_inodes_near_since ON accounts (inodes_near_since) WHERE inodes_near_since IS NOT NULL;
CREATE INDEX accounts_bw_near_since ON accounts (bw_near_since) WHERE bw_near_since IS NOT NULL;
CREATE INDEX accounts_contact_email ON accounts (lower(contact_email));
CREATE INDEX accounts_disk_used ON accounts (disk_used_mb, id);
CREATE INDEX accounts_traffic ON accounts (bw_used_month_mb, id);
CREATE INDEX accounts_status ON accounts (status, id);
CREATE INDEX accounts_ip6 ON accounts (ip6_id) WHERE ip6_id IS NOT NULL;

CREATE TRIGGER account_name_add AFTER INSERT ON accounts BEGIN
  ${add}
END;
CREATE TRIGGER account_name_change AFTER UPDATE OF username ON accounts WHEN old.username <> new.username BEGIN
  ${remove}
  ${add}
END;
CREATE TRIGGER account_name_remove AFTER DELETE ON accounts BEGIN
  ${remove}
END;
`

export const migrations: readonly Migration[] = [{ name: '0005-accounts', sql }]
