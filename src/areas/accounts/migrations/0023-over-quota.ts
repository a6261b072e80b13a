/** Accounts over their disk quota are listed, and counted, by themselves. */
export const sql = `
CREATE INDEX accounts_over_quota ON accounts (id) WHERE disk_used_mb > disk_quota_mb;
`
