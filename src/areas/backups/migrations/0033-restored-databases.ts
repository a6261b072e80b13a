export const sql = `ALTER TABLE backup_restores ADD COLUMN databases TEXT;`
