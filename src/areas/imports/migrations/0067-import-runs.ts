export const sql = `
ALTER TABLE imports ADD COLUMN uid INTEGER;
ALTER TABLE imports ADD COLUMN steps TEXT NOT NULL DEFAULT '{}';
ALTER TABLE imports ADD COLUMN work TEXT;
ALTER TABLE imports ADD COLUMN runs INTEGER NOT NULL DEFAULT 0 CHECK (runs IN (0, 1));
ALTER TABLE imports ADD COLUMN last_sync_at INTEGER;
CREATE INDEX imports_by_account ON imports (account_id) WHERE account_id IS NOT NULL;
`
