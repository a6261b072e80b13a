import { existsSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { TraceQuery, TraceRow } from '../contract/commands/mail-trace.ts'
import type { Doing } from '../contract/driver.ts'
import { Directory, holding } from '../homes/home/directory.ts'
import { readOn } from '../traffic/follow.ts'
import { MAX_PARTS_PER_DAY } from '../traffic/rotate.ts'
import { trafficFiles } from '../traffic/traffic.ts'
import { eventIn } from './log-line.ts'
import { applyEvent, type MailOwners } from './rows.ts'
import { TraceFile } from './trace-file.sql.ts'

/** Of the log, at a time: other work goes on in between. */
const MAX_READ_BYTES = 1024 * 1024
/** Rows that are looked through at a time. */
const BATCH = 5000
const AN_HOUR_MS = 3_600_000

export interface TraceOptions {
  /** The folder of the log. */
  readonly logs: string
  /** Where its rows are stored. */
  readonly file: string
  readonly owners: MailOwners
  readonly now: () => number
  /** Called with each line that is read. */
  readonly line?: (line: string) => void
}

interface TracePage {
  readonly items: readonly TraceRow[]
  readonly more: boolean
}

/** What became of messages, from the mail server's log. */
export class MailTrace {
  readonly #options: TraceOptions
  #opened: TraceFile | undefined
  #reading: Promise<void> | undefined
  #pruned = 0

  constructor(options: TraceOptions) {
    this.#options = options
  }

  get #file(): TraceFile {
    this.#opened ??= new TraceFile(this.#options.file)
    return this.#opened
  }

  /** Reads on to the log's end. */
  read(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #read(): Promise<void> {
    for (let more = true; more; ) more = await this.#readPart()
    const now = this.#options.now()
    if (now - this.#pruned < AN_HOUR_MS) return
    this.#pruned = now
    this.#file.prune(now)
  }

  async #readPart(): Promise<boolean> {
    const { logs, owners, now, line: onLine } = this.#options
    const file = this.#file
    const since = file.place
    const directory = await Directory.at(logs).catch(orMissing)
    if (!directory) return false
    const lines: string[] = []
    const last = new Date(now()).toISOString().slice(0, 10)
    const range = { since, last, maxBytes: MAX_READ_BYTES, parts: MAX_PARTS_PER_DAY }
    const { next, more } = await holding(Promise.resolve(directory), (logged) =>
      readOn(logged, trafficFiles.mail, range, (line) => {
        lines.push(line)
        onLine?.(line)
      }),
    )
    if (since && lines.length === 0 && next.file === since.file && next.offset === since.offset) return more
    file.read(next, () => {
      for (const line of lines) {
        const event = eventIn(line, now())
        if (event) applyEvent(file, owners, event)
      }
    })
    await setImmediate()
    return more
  }

  /** How often the delivery of a message has begun. */
  attemptsOf = (id: string): number => {
    try {
      return this.#file.message(id)?.attempts ?? 0
    } catch {
      // The queue is listed, and changed, without it.
      return 0
    }
  }

  /** Drops an account's rows. */
  forget(uid: number): void {
    if (existsSync(this.#options.file)) this.#file.forget(uid)
  }

  /** Rows that meet a query, the newest first. */
  async page(query: TraceQuery, { signal }: Doing = {}): Promise<TracePage> {
    await this.read()
    const { limit, days, after = { at: Number.MAX_SAFE_INTEGER, n: 0 }, since = 0, uids } = query
    this.#file.setDays(days)
    const meets = matcher(query)
    const oldest = Math.max(since, this.#options.now() - days * 24 * AN_HOUR_MS)
    const items: TraceRow[] = []
    for (let before = after; items.length <= limit; ) {
      signal?.throwIfAborted()
      const rows = this.#file.batch(uids?.length === 1 ? uids[0] : undefined, before, oldest, BATCH)
      for (const row of rows) if (meets(row)) items.push(row)
      if (rows.length < BATCH) break
      before = rows.at(-1)!
      await setImmediate()
    }
    return { items: items.slice(0, limit), more: items.length > limit }
  }

  close(): void {
    this.#opened?.close()
    this.#opened = undefined
  }
}

function matcher({ address = '', with: other = '', direction, uids }: TraceQuery): (row: TraceRow) => boolean {
  const own = uids && new Set(uids)
  const contains = (text: string, part: string) => part === '' || text.toLowerCase().includes(part)
  return (row) => {
    const [mine, theirs] = row.direction === 'in' ? [row.to, row.from] : [row.from, row.to]
    return (
      (!own || own.has(row.uid)) &&
      (direction === undefined || row.direction === direction) &&
      contains(mine, address) &&
      contains(theirs, other)
    )
  }
}

function orMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
