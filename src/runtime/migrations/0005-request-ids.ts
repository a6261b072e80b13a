/** Which request caused an event, so that the log lines of its deliveries can say so. */
export const sql = `
ALTER TABLE events ADD COLUMN request_id TEXT;
`
