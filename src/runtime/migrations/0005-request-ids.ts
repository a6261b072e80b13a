/** The request that caused an event, for the log lines of its deliveries. */
export const sql = `
ALTER TABLE events ADD COLUMN request_id TEXT;
`
