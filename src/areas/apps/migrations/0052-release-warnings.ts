/** What a deploy warned of, as a JSON list. */
export const sql = `
ALTER TABLE app_releases ADD COLUMN warnings TEXT;
`
