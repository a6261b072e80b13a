/** Whether a home holds more than was counted. */
export const sql = `
ALTER TABLE accounts ADD COLUMN at_least INTEGER NOT NULL DEFAULT 0 CHECK (at_least IN (0, 1));
`
