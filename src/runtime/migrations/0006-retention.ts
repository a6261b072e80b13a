/** Finds finished jobs by age. Audit rows stay append-only, except those older than the setting `audit_kept_from`. */
export const sql = `
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;
DROP TRIGGER audit_delete;
CREATE TRIGGER audit_delete BEFORE DELETE ON audit
WHEN old.at >= coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'audit_kept_from'), 0)
BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END;
`
