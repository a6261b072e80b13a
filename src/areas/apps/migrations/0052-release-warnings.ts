/** A deploy's warnings, as a JSON list. */
export const sql = `
ALTER TABLE app_releases ADD COLUMN warnings TEXT;
`
