/** Signing in by contact address must not read all accounts. */
export const sql = `
CREATE INDEX accounts_contact_email ON accounts (lower(contact_email));
`
