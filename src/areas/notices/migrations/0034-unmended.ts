/** A partial index of failed jobs that no later one has made up for, newest last. */
export const sql = `
DROP INDEX jobs_unmended;
CREATE INDEX jobs_unmended ON jobs (mended, finished_at) WHERE status = 'failed' AND mended = 0;
`
