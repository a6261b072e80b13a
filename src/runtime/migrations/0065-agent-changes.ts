/** Why an AI agent made a change, and the name that its client claims. */
export const sql = `
ALTER TABLE audit ADD COLUMN reason TEXT;
ALTER TABLE audit ADD COLUMN client TEXT;
`
