/** Domains of all accounts are listed by kind and by status. */
export const sql = `
CREATE INDEX domains_kind ON domains (kind, id);
CREATE INDEX domains_status ON domains (status, id);
`
