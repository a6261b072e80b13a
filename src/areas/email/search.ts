/** The accounts with a mailbox like `@search`. */
export const mailboxSearch = `SELECT m.account_id FROM email_mailboxes m JOIN domains d ON d.id = m.domain_id
  WHERE instr(m.local || '@' || d.name, @search)`
