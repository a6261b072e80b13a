import type Database from 'better-sqlite3'
import { day } from '../../shared/time.ts'
import type { LogPlace } from '../contract/commands/logs.ts'
import type { TraceRow } from '../contract/commands/mail-trace.ts'
import { openLogDatabase } from '../log-database.ts'

// By hand, as drizzle cannot write an upsert on a partial index, and each line of the log is one or two statements.

/** The oldest rows go first. */
export const MAX_ROWS = 2_000_000
/** Rows of refused mail for an account on a day: whoever sends it must not push out the rest. */
export const MAX_REJECTED_PER_DAY = 10_000
/** What is known of a message whose end is in no log. */
const MAX_MESSAGE_DAYS = 30
const DEFAULT_DAYS = 14

const schema = `
CREATE TABLE IF NOT EXISTS place (one INTEGER PRIMARY KEY CHECK (one = 1), file TEXT, "offset" INTEGER, days INTEGER);
CREATE TABLE IF NOT EXISTS messages (
  id TEXT PRIMARY KEY, at INTEGER NOT NULL, sender TEXT, size INTEGER, client TEXT, uid INTEGER, score REAL,
  attempts INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS trace (
  n INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, uid INTEGER NOT NULL, direction TEXT NOT NULL,
  sender TEXT NOT NULL, recipient TEXT NOT NULL, size INTEGER, client TEXT, score REAL, outcome TEXT NOT NULL,
  mailbox TEXT, remote_host TEXT, answer TEXT NOT NULL, queue_id TEXT, target TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS trace_of_recipient ON trace (queue_id, uid, direction, recipient, target)
  WHERE queue_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS trace_at ON trace (at, n);
CREATE INDEX IF NOT EXISTS trace_of_account ON trace (uid, at, n);
CREATE TABLE IF NOT EXISTS arrived (
  id TEXT NOT NULL, target TEXT NOT NULL, at INTEGER NOT NULL, outcome TEXT NOT NULL, remote_host TEXT,
  answer TEXT NOT NULL, PRIMARY KEY (id, target)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS rejected (uid INTEGER, day INTEGER, rows INTEGER NOT NULL, PRIMARY KEY (uid, day)) WITHOUT ROWID;
`

/** What the log has said so far of a message that has not left. */
export interface Message {
  readonly sender: string | null
  readonly size: number | null
  readonly client: string | null
  readonly uid: number | null
  readonly score: number | null
  readonly attempts: number
}

export interface NewRow extends Omit<TraceRow, 'n'> {
  /** Where it goes, after aliases. */
  readonly target: string
}

/** What became of a forwarded message, for a recipient. */
export interface Arrival {
  readonly id: string
  readonly target: string
  readonly at: number
  readonly outcome: TraceRow['outcome']
  readonly remoteHost: string | undefined
  readonly answer: string
}

export interface Place {
  readonly at: number
  readonly n: number
}

interface Stored {
  readonly n: number
  readonly at: number
  readonly uid: number
  readonly direction: TraceRow['direction']
  readonly sender: string
  readonly recipient: string
  readonly size: number | null
  readonly client: string | null
  readonly score: number | null
  readonly outcome: TraceRow['outcome']
  readonly mailbox: string | null
  readonly remote_host: string | null
  readonly answer: string
  readonly queue_id: string | null
}

const statements = (sqlite: Database.Database) => ({
  place: sqlite.prepare('SELECT file, "offset" AS "offset" FROM place'),
  setPlace: sqlite.prepare(
    `INSERT INTO place VALUES (1, ?, ?, ${DEFAULT_DAYS})
    ON CONFLICT DO UPDATE SET file = excluded.file, "offset" = excluded."offset"`,
  ),
  days: sqlite.prepare('SELECT days FROM place').pluck(),
  setDays: sqlite.prepare('UPDATE place SET days = ?'),
  message: sqlite.prepare('SELECT sender, size, client, uid, score, attempts FROM messages WHERE id = ?'),
  note: sqlite.prepare(
    `INSERT INTO messages (id, at, sender, size, client, uid, score, attempts)
    VALUES (@id, @at, @sender, @size, @client, @uid, @score, @attempts)
    ON CONFLICT DO UPDATE SET sender = coalesce(excluded.sender, sender), size = coalesce(excluded.size, size),
    client = coalesce(excluded.client, client), uid = coalesce(excluded.uid, uid),
    score = coalesce(excluded.score, score), attempts = attempts + excluded.attempts`,
  ),
  drop: sqlite.prepare('DELETE FROM messages WHERE id = ?'),
  dropOld: sqlite.prepare('DELETE FROM messages WHERE at < ?'),
  add: sqlite.prepare(
    `INSERT INTO trace (at, uid, direction, sender, recipient, size, client, score, outcome, mailbox, remote_host, answer,
      queue_id, target)
    VALUES (@at, @uid, @direction, @from, @to, @size, @client, @score, @outcome, @mailbox, @remoteHost, @answer, @queueId,
      @target)
    ON CONFLICT DO UPDATE SET at = excluded.at, outcome = excluded.outcome, mailbox = excluded.mailbox,
    remote_host = excluded.remote_host, answer = excluded.answer`,
  ),
  addNew: sqlite.prepare(
    `INSERT INTO trace (at, uid, direction, sender, recipient, size, client, score, outcome, answer, queue_id, target)
    VALUES (@at, @uid, @direction, @from, @to, @size, @client, @score, 'queued', '', @queueId, @target)
    ON CONFLICT DO NOTHING`,
  ),
  requeue: sqlite.prepare(
    `UPDATE OR REPLACE trace SET queue_id = ?, outcome = 'queued', answer = '' WHERE queue_id = ? AND target = ?`,
  ),
  arrive: sqlite.prepare(
    `UPDATE trace SET at = @at, outcome = @outcome, remote_host = @remoteHost, answer = @answer
    WHERE queue_id = @id AND target = @target`,
  ),
  arriveEarly: sqlite.prepare(
    'INSERT OR REPLACE INTO arrived VALUES (@id, @target, @at, @outcome, @remoteHost, @answer)',
  ),
  takeEarly: sqlite.prepare(
    'DELETE FROM arrived WHERE id = ? AND target = ? RETURNING id, target, at, outcome, remote_host AS remoteHost, answer',
  ),
  dropEarly: sqlite.prepare('DELETE FROM arrived WHERE at < ?'),
  end: sqlite.prepare(`UPDATE trace SET outcome = ?, at = ? WHERE queue_id = ? AND outcome IN ('deferred', 'queued')`),
  reject: sqlite
    .prepare('INSERT INTO rejected VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET rows = rows + 1 RETURNING rows')
    .pluck(),
  dropRejected: sqlite.prepare('DELETE FROM rejected WHERE day < ?'),
  forget: [
    sqlite.prepare('DELETE FROM trace WHERE uid = ?'),
    sqlite.prepare('DELETE FROM rejected WHERE uid = ?'),
    sqlite.prepare('DELETE FROM messages WHERE uid = ?'),
  ],
  dropRows: sqlite.prepare(`DELETE FROM trace WHERE n IN (SELECT n FROM trace WHERE at < ? ORDER BY at LIMIT 20000)`),
  dropExcess: sqlite.prepare(
    `DELETE FROM trace WHERE n IN (SELECT n FROM trace ORDER BY at, n LIMIT max(0, (SELECT count(*) FROM trace) - ?))`,
  ),
  /** Of one account, or of all. */
  batchOf: sqlite.prepare(
    'SELECT * FROM trace WHERE uid = @uid AND (at, n) < (@at, @n) AND at >= @since ORDER BY at DESC, n DESC LIMIT @batch',
  ),
  batch: sqlite.prepare(
    'SELECT * FROM trace WHERE (at, n) < (@at, @n) AND at >= @since ORDER BY at DESC, n DESC LIMIT @batch',
  ),
})

const orNull = <T>(value: T | undefined): T | null => value ?? null

/** The file with what the log said: rows, and the place in the log up to which it was read. */
export class TraceFile {
  readonly #sqlite: Database.Database
  readonly #statements: ReturnType<typeof statements>

  constructor(path: string) {
    this.#sqlite = openLogDatabase(path, schema)
    this.#statements = statements(this.#sqlite)
  }

  get place(): LogPlace | undefined {
    return this.#statements.place.get() as LogPlace | undefined
  }

  /** Rows and the place that they lead to are stored together. */
  read(next: LogPlace, apply: () => void): void {
    this.#sqlite.transaction(() => {
      apply()
      this.#statements.setPlace.run(next.file, next.offset)
    })()
  }

  message = (id: string): Message | undefined => this.#statements.message.get(id) as Message | undefined

  note(id: string, at: number, known: Partial<Message>): void {
    const unknown = { sender: null, size: null, client: null, uid: null, score: null, attempts: 0 }
    this.#statements.note.run({ id, at, ...unknown, ...known })
  }

  drop(id: string): void {
    this.#statements.drop.run(id)
  }

  /** Refused mail counts against the account's day. */
  add(row: NewRow): void {
    if (row.outcome === 'rejected' && this.#rejectedOn(row) > MAX_REJECTED_PER_DAY) return
    const { size, client, score, mailbox, remoteHost, queueId } = row
    const optional = { size, client, score, mailbox, remoteHost, queueId }
    const values = Object.fromEntries(Object.entries(optional).map(([name, value]) => [name, orNull(value)]))
    this.#statements.add.run({ ...row, ...values })
  }

  /** A message has become another one for a recipient, which may have arrived meanwhile. */
  requeue(id: string, next: string, target: string, rows: () => readonly NewRow[]): void {
    this.#statements.requeue.run(next, id, target)
    for (const { size, client, score, ...row } of rows())
      this.#statements.addNew.run({ ...row, size: orNull(size), client: orNull(client), score: orNull(score) })
    const early = this.#statements.takeEarly.get(next, target)
    if (early) this.#statements.arrive.run(early)
  }

  /** The log may say so before it says whose the message is. */
  arrive(arrival: Arrival): void {
    const values = { ...arrival, remoteHost: orNull(arrival.remoteHost) }
    if (this.#statements.arrive.run(values).changes === 0) this.#statements.arriveEarly.run(values)
  }

  #rejectedOn = ({ uid, at }: NewRow): number => this.#statements.reject.get(uid, Math.floor(at / day)) as number

  /** What waited waits no more. */
  end(id: string, outcome: TraceRow['outcome'], at: number): void {
    this.#statements.end.run(outcome, at, id)
  }

  forget(uid: number): void {
    this.#sqlite.transaction(() => this.#statements.forget.forEach((one) => void one.run(uid)))()
  }

  /** How long rows are stored from now on. */
  setDays(days: number): void {
    this.#statements.setDays.run(days)
  }

  /** Removes what is too old or too much; a part of it, if there is much. */
  prune(now: number, max = MAX_ROWS): void {
    const days = (this.#statements.days.get() as number | undefined) ?? DEFAULT_DAYS
    this.#sqlite.transaction(() => {
      this.#statements.dropOld.run(now - MAX_MESSAGE_DAYS * day)
      this.#statements.dropEarly.run(now - MAX_MESSAGE_DAYS * day)
      this.#statements.dropRejected.run(Math.floor(now / day) - 1)
      this.#statements.dropRows.run(now - days * day)
      this.#statements.dropExcess.run(max)
    })()
  }

  /** Rows before a place, the newest first. */
  batch(uid: number | undefined, before: Place, since: number, batch: number): TraceRow[] {
    const which = { ...before, since, batch }
    const { batchOf, batch: ofAll } = this.#statements
    const rows = uid === undefined ? ofAll.all(which) : batchOf.all({ ...which, uid })
    return (rows as Stored[]).map(rowOf)
  }

  close(): void {
    this.#sqlite.close()
  }
}

const orAbsent = <N extends string, T>(name: N, value: T | null) => (value === null ? {} : { [name]: value })

const rowOf = (stored: Stored): TraceRow => {
  const { n, at, uid, direction, sender: from, recipient: to, outcome, answer } = stored
  return {
    ...{ n, at, uid, direction, from, to, outcome, answer },
    ...orAbsent('size', stored.size),
    ...orAbsent('client', stored.client),
    ...orAbsent('score', stored.score),
    ...orAbsent('mailbox', stored.mailbox),
    ...orAbsent('remoteHost', stored.remote_host),
    ...orAbsent('queueId', stored.queue_id),
  }
}
