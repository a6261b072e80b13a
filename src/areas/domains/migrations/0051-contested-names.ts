/** Claims of main domains, which only root can settle. */
export const sql = `
CREATE TABLE contested_names (
  domain_id TEXT NOT NULL,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  claimed_at INTEGER NOT NULL,
  PRIMARY KEY (domain_id, account_id)
) STRICT;
CREATE INDEX contested_names_at ON contested_names (claimed_at);
CREATE INDEX contested_names_account ON contested_names (account_id);
`
