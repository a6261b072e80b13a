export const sql = `
ALTER TABLE backup_destinations ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
ALTER TABLE backup_destinations ADD COLUMN keys TEXT;
CREATE INDEX backups_destination ON backups (destination_id);
`
