/** Existing sessions from links do not record their creator, so they end. */
export const sql = `
ALTER TABLE sessions ADD COLUMN maker_id TEXT;
ALTER TABLE sessions ADD COLUMN maker_token_id TEXT;
ALTER TABLE sessions ADD COLUMN maker_session_id TEXT;
ALTER TABLE sessions ADD COLUMN confirmed_at INTEGER;
ALTER TABLE sessions ADD COLUMN ended_at INTEGER;
ALTER TABLE links ADD COLUMN creator_session_id TEXT;
UPDATE sessions SET ended_at = last_seen_at WHERE via = 'sso';
`
