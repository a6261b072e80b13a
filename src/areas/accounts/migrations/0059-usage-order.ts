/** Lists sorted by usage read one page from an index. */
export const sql = `
CREATE INDEX accounts_disk_used ON accounts (disk_used_mb, id);
CREATE INDEX accounts_traffic ON accounts (bw_used_month_mb, id);
`
