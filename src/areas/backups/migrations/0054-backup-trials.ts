export const sql = `
ALTER TABLE backups ADD COLUMN tried_at INTEGER;
ALTER TABLE backups ADD COLUMN damage TEXT;
CREATE INDEX backups_untried ON backups (finished_at) WHERE tried_at IS NULL AND status = 'complete';
`
