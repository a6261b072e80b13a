const changed = 'UPDATE mail_routes SET changed = changed + 1;'

/** Counts a change of mail routes. */
const counting = (table: string, when: string, name: string): string =>
  `CREATE TRIGGER mail_routes_${name} AFTER ${when} ON ${table} BEGIN ${changed} END;`

/** Loops of mail through any accounts; triggers count the changes that can make or end one. */
export const sql = `
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
