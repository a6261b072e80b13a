import type { Migration } from '../../store/migrate.ts'

/**
 * `retry_at`: the schedule's next attempt. `asked_at`: when a redelivery was requested. `sent_at` and `flight`: when the attempt
 * in flight started, and why. `due_at` is derived from them, so that no row can be due and in flight at once. Deliveries have
 * no foreign key to their webhook: a deleted one is gone at once, its log in small steps.
 */
const sql = `
CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  account_id TEXT REFERENCES accounts (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  description TEXT NOT NULL,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  events TEXT NOT NULL,
  secret TEXT NOT NULL,
  former_secret TEXT,
  former_until INTEGER,
  consecutive_failures INTEGER NOT NULL DEFAULT 0,
  failing_since INTEGER,
  disabled_reason TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhooks_account ON webhooks (account_id, id);
CREATE INDEX webhooks_off ON webhooks (updated_at) WHERE disabled_reason IS NOT NULL;

CREATE TABLE deliveries (
  webhook_id TEXT NOT NULL,
  id TEXT NOT NULL,
  event_seq INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'retrying', 'succeeded', 'abandoned', 'skipped')),
  number INTEGER NOT NULL DEFAULT 0,
  step INTEGER NOT NULL DEFAULT 0,
  retry_at INTEGER,
  asked_at INTEGER,
  sent_at INTEGER,
  flight TEXT CHECK (flight IN ('schedule', 'asked')),
  created_at INTEGER NOT NULL,
  due_at INTEGER GENERATED ALWAYS AS (CASE WHEN sent_at IS NULL THEN coalesce(asked_at, retry_at) END) VIRTUAL,
  PRIMARY KEY (webhook_id, id),
  CHECK ((sent_at IS NULL) = (flight IS NULL)),
  CHECK (status IN ('pending', 'retrying') = (retry_at IS NOT NULL OR flight IS 'schedule') OR status = 'skipped')
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_due ON deliveries (webhook_id, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX deliveries_sent ON deliveries (webhook_id) WHERE sent_at IS NOT NULL;
CREATE UNIQUE INDEX deliveries_event ON deliveries (event_seq, webhook_id);

CREATE TABLE delivery_attempts (
  delivery_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  http_status INTEGER,
  error TEXT CHECK (error IN
    ('timeout', 'dns', 'connect', 'tls', 'blocked-address', 'answer', 'redirect', 'status', 'interrupted')),
  response_start TEXT,
  PRIMARY KEY (delivery_id, number)
) STRICT, WITHOUT ROWID;
`

export const migrations: readonly Migration[] = [{ name: '0008-webhooks', sql }]
