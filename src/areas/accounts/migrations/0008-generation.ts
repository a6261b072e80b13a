export const sql = `
ALTER TABLE accounts ADD COLUMN generation INTEGER NOT NULL DEFAULT 0 CHECK (generation >= 0);
`
