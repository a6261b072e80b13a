export const sql = `
ALTER TABLE imports ADD COLUMN former TEXT;
ALTER TABLE imports ADD COLUMN compared_at INTEGER;
`
