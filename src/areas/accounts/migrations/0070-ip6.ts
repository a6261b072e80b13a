/** An account's IPv6 address, beside its IPv4 address. */
export const sql = `
ALTER TABLE accounts ADD COLUMN ip6_id TEXT REFERENCES ips (id) ON DELETE RESTRICT;
CREATE INDEX accounts_ip6 ON accounts (ip6_id) WHERE ip6_id IS NOT NULL;
`
