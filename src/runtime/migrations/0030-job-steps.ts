/** What a job is at. */
export const sql = `
ALTER TABLE jobs ADD COLUMN step TEXT;
`
