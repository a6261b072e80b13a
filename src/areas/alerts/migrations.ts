import type { Migration } from '../../store/migrate.ts'

/**
 * `owner_id` is root's, a reseller's or an account's; `account_id` only of an account's own. `gone_at`: since when the cause is
 * gone. `due_at` of what was sent or given up is null; `message_id` ties together what goes in one message.
 */
const sql = `
CREATE TABLE alert_channels (
  id TEXT PRIMARY KEY,
  owner_id TEXT NOT NULL,
  account_id TEXT REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  type TEXT NOT NULL CHECK (type IN ('mail', 'webhook')),
  shape TEXT CHECK (shape IN ('slack', 'discord', 'mattermost', 'ntfy', 'telegram', 'json')),
  recipient TEXT,
  host TEXT,
  address TEXT,
  secret TEXT,
  kinds TEXT NOT NULL,
  quiet TEXT,
  urgent INTEGER NOT NULL CHECK (urgent IN (0, 1)),
  digest TEXT NOT NULL CHECK (digest IN ('now', 'hourly', 'daily')),
  escalate_after_min INTEGER,
  escalate_to TEXT REFERENCES alert_channels (id) ON DELETE SET NULL,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  failures INTEGER NOT NULL DEFAULT 0,
  disabled_reason TEXT,
  verified INTEGER NOT NULL CHECK (verified IN (0, 1)),
  tested_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  CHECK ((type = 'mail') = (recipient IS NOT NULL)),
  CHECK ((type = 'webhook') = (shape IS NOT NULL AND address IS NOT NULL AND host IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX alert_channels_name ON alert_channels (owner_id, coalesce(account_id, ''), name);
CREATE INDEX alert_channels_account ON alert_channels (account_id) WHERE account_id IS NOT NULL;
CREATE INDEX alert_channels_off ON alert_channels (updated_at) WHERE disabled_reason IS NOT NULL;

CREATE TABLE alert_confirmations (
  hash TEXT PRIMARY KEY,
  channel_id TEXT NOT NULL,
  owner_id TEXT NOT NULL,
  recipient TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX alert_confirmations_owner ON alert_confirmations (owner_id, created_at);

CREATE TABLE unconfirmed_contacts (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE alerts (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  severity TEXT NOT NULL CHECK (severity IN ('warn', 'error')),
  object TEXT NOT NULL,
  object_id TEXT NOT NULL,
  name TEXT NOT NULL,
  detail TEXT NOT NULL,
  since INTEGER NOT NULL,
  operation TEXT,
  account_id TEXT,
  owner_id TEXT,
  username TEXT,
  state TEXT NOT NULL CHECK (state IN ('open', 'acknowledged', 'ended')),
  acknowledged_at INTEGER,
  acknowledged_by TEXT,
  acknowledged_as TEXT CHECK (acknowledged_as IN ('root', 'reseller', 'account')),
  note TEXT,
  gone_at INTEGER,
  ended_at INTEGER,
  created_at INTEGER NOT NULL,
  CHECK ((state = 'ended') = (ended_at IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX alerts_standing ON alerts (kind, object_id) WHERE ended_at IS NULL;
CREATE INDEX alerts_cause ON alerts (kind, object_id, ended_at);
CREATE INDEX alerts_account ON alerts (account_id, id);
CREATE INDEX alerts_owner ON alerts (owner_id, id);
CREATE INDEX alerts_ended ON alerts (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE alert_sends (
  id TEXT PRIMARY KEY,
  alert_id TEXT NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
  channel_id TEXT NOT NULL REFERENCES alert_channels (id) ON DELETE CASCADE,
  what TEXT NOT NULL CHECK (what IN ('opened', 'reminded', 'escalated', 'ended')),
  outcome TEXT NOT NULL CHECK (outcome IN ('sent', 'waiting', 'failed', 'skipped')),
  at INTEGER NOT NULL,
  due_at INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  message_id TEXT,
  error TEXT,
  CHECK ((outcome = 'waiting') = (due_at IS NOT NULL))
) STRICT;
CREATE INDEX alert_sends_alert ON alert_sends (alert_id, channel_id);
CREATE INDEX alert_sends_due ON alert_sends (channel_id, due_at) WHERE due_at IS NOT NULL;
`

export const migrations: readonly Migration[] = [{ name: '0028-alerts', sql }]
