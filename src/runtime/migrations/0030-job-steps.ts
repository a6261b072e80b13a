/** The current step of a job. */
export const sql = `
ALTER TABLE jobs ADD COLUMN step TEXT;
`
