/** Jobs that overtake those of their lane, and whose share of the worker a job counts to. */
export const sql = `
ALTER TABLE jobs ADD COLUMN urgent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN tenant TEXT;
UPDATE jobs SET tenant = CASE
    WHEN owner_id = (SELECT json_extract(value, '$') FROM settings WHERE name = 'root_id') THEN account_id
    ELSE owner_id END
  WHERE account_id IS NOT NULL AND status IN ('queued', 'leased', 'running');
CREATE INDEX jobs_urgent ON jobs (lane, id) WHERE urgent = 1 AND status IN ('queued', 'leased', 'running');
DROP INDEX jobs_due;
CREATE INDEX jobs_due ON jobs (node, run_at, id, tenant, lane, urgent) WHERE status = 'queued';`
