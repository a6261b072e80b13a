import type { Migration } from '../../store/migrate.ts'

/** Content is encrypted, and dropped once the message has left; the row counts for a day. */
const sql = `
CREATE TABLE mail_messages (
  id TEXT PRIMARY KEY,
  recipient TEXT NOT NULL,
  content TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  next_at INTEGER,
  sent_at INTEGER
) STRICT;
CREATE INDEX mail_messages_due ON mail_messages (next_at) WHERE next_at IS NOT NULL;
CREATE INDEX mail_messages_sent ON mail_messages (sent_at) WHERE sent_at IS NOT NULL;
CREATE INDEX mail_messages_recipient ON mail_messages (recipient, sent_at);
`

/** Whose share of the hour a message takes. */
const shares = `
ALTER TABLE mail_messages ADD COLUMN share TEXT NOT NULL DEFAULT 'server';
DROP INDEX mail_messages_sent;
DROP INDEX mail_messages_recipient;
CREATE INDEX mail_messages_share ON mail_messages (share, next_at) WHERE next_at IS NOT NULL;
CREATE INDEX mail_messages_sent ON mail_messages (sent_at, share) WHERE sent_at IS NOT NULL;
CREATE INDEX mail_messages_recipient ON mail_messages (recipient, share, sent_at);
`

export const migrations: readonly Migration[] = [
  { name: '0025-mailer', sql },
  { name: '0040-mail-shares', sql: shares },
]
