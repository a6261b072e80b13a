/** Where links for a new password go while the contact address was set by somebody who may not set the password. */
export const sql = `
CREATE TABLE reset_addresses (
  principal_id TEXT PRIMARY KEY,
  address TEXT NOT NULL
) STRICT;
CREATE INDEX reset_addresses_address ON reset_addresses (lower(address));
`
