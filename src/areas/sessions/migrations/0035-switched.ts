/** Existing links do not record who was signed in where they were opened. */
export const sql = `
ALTER TABLE sessions ADD COLUMN switched INTEGER NOT NULL DEFAULT 0;
`
