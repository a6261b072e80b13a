export const sql = `ALTER TABLE backups ADD COLUMN secrets_key TEXT;`
