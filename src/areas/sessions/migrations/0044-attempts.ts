/** Attempts count for their IPv6 /48 too; those with a second factor's code are remembered for a day. */
export const sql = `
ALTER TABLE sign_in_attempts ADD COLUMN site TEXT;
ALTER TABLE sign_in_attempts ADD COLUMN code INTEGER NOT NULL DEFAULT 0;
CREATE INDEX sign_in_attempts_site ON sign_in_attempts (site, at);
`
