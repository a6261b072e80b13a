export const sql = `
ALTER TABLE domains ADD COLUMN rules TEXT NOT NULL DEFAULT '{}';
`
