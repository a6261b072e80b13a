/** Lists domains of all accounts by kind and by status. */
export const sql = `
CREATE INDEX domains_kind ON domains (kind, id);
CREATE INDEX domains_status ON domains (status, id);
`
