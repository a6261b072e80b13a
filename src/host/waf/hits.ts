import { existsSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import type { WafHit, WafQuery } from '../contract/commands/waf.ts'
import { HitsFile } from './hits-file.sql.ts'
import { hitsIn } from './transaction.ts'

const AN_HOUR_MS = 3_600_000
/** Of the log, at a time: other work goes on in between. */
const CHUNK_BYTES = 1024 * 1024
/** Of a longer log only the end is read: whoever floods sites with attacks needs no row for each. */
const MAX_BACKLOG_BYTES = 8 * CHUNK_BYTES

export interface WafOptions {
  /** ModSecurity's log, which it holds open for appending; emptied once it is read. */
  readonly log: string
  /** Where rows are stored. */
  readonly file: string
  readonly now: () => number
}

export interface WafPage {
  readonly items: readonly WafHit[]
  readonly more: boolean
}

/** What the web application firewall found. */
export class WafHits {
  readonly #options: WafOptions
  #opened: HitsFile | undefined
  #reading: Promise<void> | undefined
  #pruned = 0

  constructor(options: WafOptions) {
    this.#options = options
  }

  /** Takes what the log has. */
  read(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async page(query: WafQuery): Promise<WafPage> {
    await this.read()
    if (!existsSync(this.#options.file)) return { items: [], more: false }
    const rows = this.#file.page({ ...query, limit: query.limit + 1 }, this.#options.now())
    return { items: rows.slice(0, query.limit), more: rows.length > query.limit }
  }

  close(): void {
    this.#opened?.close()
    this.#opened = undefined
  }

  get #file(): HitsFile {
    this.#opened ??= new HitsFile(this.#options.file)
    return this.#opened
  }

  async #read(): Promise<void> {
    const log = await open(this.#options.log, 'r+').catch(orMissing)
    if (!log) return
    try {
      await this.#take(log)
    } finally {
      await log.close()
    }
    const now = this.#options.now()
    if (now - this.#pruned < AN_HOUR_MS || !existsSync(this.#options.file)) return
    this.#pruned = now
    this.#file.prune(now)
  }

  /** Lines that are written between the last look and the cut are lost. */
  async #take(log: FileHandle): Promise<void> {
    const { size } = await log.stat()
    if (size === 0) return
    let at = Math.max(0, size - MAX_BACKLOG_BYTES)
    let rest = Buffer.alloc(0)
    let isPartial = at > 0
    for (;;) {
      const { bytesRead, buffer } = await log.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, at)
      if (bytesRead === 0 || at > size + MAX_BACKLOG_BYTES) break
      at += bytesRead
      const bytes = Buffer.concat([rest, buffer.subarray(0, bytesRead)])
      const end = bytes.lastIndexOf(0x0a)
      const lines = bytes.subarray(0, Math.max(0, end)).toString('utf8').split('\n')
      rest = end < 0 ? bytes : Buffer.from(bytes.subarray(end + 1))
      if (rest.length > CHUNK_BYTES) [rest, isPartial] = [Buffer.alloc(0), true]
      if (end < 0) continue
      this.#store(isPartial ? lines.slice(1) : lines)
      isPartial = false
      await setImmediate()
    }
    await log.truncate(0)
  }

  #store(lines: readonly string[]): void {
    const hits = lines.flatMap(hitsIn)
    if (hits.length > 0) this.#file.add(hits)
  }
}

function orMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
