/** Failed jobs that none has mended are few among those that failed: by their own index, the newest at its end. */
export const sql = `
DROP INDEX jobs_unmended;
CREATE INDEX jobs_unmended ON jobs (mended, finished_at) WHERE status = 'failed' AND mended = 0;
`
