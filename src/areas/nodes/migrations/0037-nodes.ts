/** Account columns to copy unchanged. */
const columns = `id, username, main_domain, contact_email, password_hash, password_changed_at, owner_id, package_id, ip_id, uid,
  home_dir, db_prefix, shell, theme, locale, mail_routing, cgi, spam_box, spam_filter, make_reseller, bw_limit_mb,
  disk_quota_mb, inodes_limit, default_email_quota_mb, max_email_quota_mb, max_addon, max_email, max_email_per_hour,
  max_ftp, max_parked, max_sql, max_sub, php_max_children, bw_used_month_mb, disk_used_mb, inodes_used, db_count,
  db_used_bytes, measured_at, zone_serial, applied_username, provisioned, terminating, suspended_at, suspended_by,
  suspend_reason, suspend_locked, created_at, suspended_with, generation, at_least, disk_near_since,
  inodes_near_since, bw_near_since`

/** SQLite needs a new table to change a unique constraint. */
const table = `
CREATE TABLE accounts_made (
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
  status TEXT GENERATED ALWAYS AS (
    CASE WHEN terminating THEN 'terminating' WHEN suspended_at IS NOT NULL THEN 'suspended'
      WHEN provisioned THEN 'active' ELSE 'provisioning' END) VIRTUAL,
  at_least INTEGER NOT NULL DEFAULT 0 CHECK (at_least IN (0, 1)),
  disk_near_since INTEGER,
  inodes_near_since INTEGER,
  bw_near_since INTEGER,
  node TEXT NOT NULL DEFAULT 'local',
  mail_node TEXT NOT NULL DEFAULT 'local',
  database_node TEXT NOT NULL DEFAULT 'local',
  UNIQUE (node, uid)
) STRICT;
INSERT INTO accounts_made (${columns}) SELECT ${columns} FROM accounts;
DROP TRIGGER mysql_databases_insert;
DROP TRIGGER mysql_databases_delete;
DROP TABLE accounts;
ALTER TABLE accounts_made RENAME TO accounts;
CREATE TRIGGER mysql_databases_insert AFTER INSERT ON mysql_databases BEGIN
  UPDATE accounts SET db_count = db_count + 1 WHERE id = NEW.account_id;
END;
CREATE TRIGGER mysql_databases_delete AFTER DELETE ON mysql_databases BEGIN
  UPDATE accounts SET db_count = db_count - 1 WHERE id = OLD.account_id;
END;`

const indexes = `
CREATE INDEX accounts_owner ON accounts (owner_id, id);
CREATE INDEX accounts_package ON accounts (package_id);
CREATE INDEX accounts_ip ON accounts (ip_id);
CREATE INDEX accounts_status ON accounts (status, id);
CREATE INDEX accounts_over_quota ON accounts (id) WHERE disk_used_mb > disk_quota_mb;`

const places = `(VALUES ${Array.from({ length: 16 }, (_, place) => `(${place + 1})`).join(', ')})`
const ends = (row: string): string =>
  `SELECT substr(${row}.username, column1), ${row}.id FROM ${places} WHERE column1 <= length(${row}.username)`
const addName = `INSERT INTO account_name_ends (ending, id) ${ends('new')};`
const removeName = `DELETE FROM account_name_ends WHERE (ending, id) IN (${ends('old')});`

const names = `
CREATE TRIGGER account_name_add AFTER INSERT ON accounts BEGIN
  ${addName}
END;
CREATE TRIGGER account_name_change AFTER UPDATE OF username ON accounts WHEN old.username <> new.username BEGIN
  ${removeName}
  ${addName}
END;
CREATE TRIGGER account_name_remove AFTER DELETE ON accounts BEGIN
  ${removeName}
END;`

const isNear = (used: string, limit: string): string =>
  `coalesce(new.${used} > 0 AND new.${used} * 10 >= new.${limit} * 9, 0)`

const nearing = (since: string, used: string, limit: string): string => `
CREATE INDEX accounts_${since} ON accounts (${since}) WHERE ${since} IS NOT NULL;
CREATE TRIGGER accounts_${since} AFTER UPDATE ON accounts
WHEN ${isNear(used, limit)} <> (new.${since} IS NOT NULL) BEGIN
  UPDATE accounts SET ${since} = iif(${isNear(used, limit)}, new.measured_at, NULL) WHERE id = new.id;
END;`

const nodes = `
CREATE TABLE nodes (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  roles TEXT NOT NULL,
  labels TEXT NOT NULL DEFAULT '[]',
  addresses TEXT NOT NULL DEFAULT '[]',
  state TEXT NOT NULL CHECK (state IN ('joining', 'active', 'draining', 'retired')),
  next_uid INTEGER NOT NULL,
  accounts INTEGER NOT NULL DEFAULT 0,
  disk_free_mb INTEGER,
  version TEXT,
  protocol INTEGER,
  last_seen_at INTEGER,
  join_secret_hash TEXT,
  join_expires_at INTEGER,
  fingerprint TEXT,
  certificate_expires_at INTEGER,
  revoked_at INTEGER,
  incompatible TEXT,
  created_at INTEGER NOT NULL,
  joined_at INTEGER
) STRICT;
CREATE UNIQUE INDEX nodes_fingerprint ON nodes (fingerprint) WHERE fingerprint IS NOT NULL;
CREATE TRIGGER nodes_account_add AFTER INSERT ON accounts BEGIN
  UPDATE nodes SET accounts = accounts + 1 WHERE name = new.node;
END;
CREATE TRIGGER nodes_account_remove AFTER DELETE ON accounts BEGIN
  UPDATE nodes SET accounts = accounts - 1 WHERE name = old.node;
END;`

const jobs = `
ALTER TABLE jobs ADD COLUMN node TEXT NOT NULL DEFAULT 'local';
DROP INDEX jobs_due;
CREATE INDEX jobs_due ON jobs (node, run_at, id) WHERE status = 'queued';`

/** User ids are unique per node, and each node counts its accounts and jobs. */
export const sql = [
  table,
  indexes,
  names,
  nearing('disk_near_since', 'disk_used_mb', 'disk_quota_mb'),
  nearing('inodes_near_since', 'inodes_used', 'inodes_limit'),
  nearing('bw_near_since', 'bw_used_month_mb', 'bw_limit_mb'),
  nodes,
  jobs,
  'ALTER TABLE packages ADD COLUMN node_labels TEXT;',
].join('\n')
