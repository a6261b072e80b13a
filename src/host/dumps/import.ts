import { counted } from '../../shared/counted.ts'
import type { Filling, SavedDatabases } from '../backup/databases.ts'
import type { DumpRequest } from '../backup/home.ts'
import { RestoreJournal } from '../backup/journal.ts'
import { Refill } from '../backup/refill.ts'
import type { DumpImport, DumpImported } from '../contract/commands/dumps.ts'
import type { Doing } from '../contract/commands/index.ts'
import { HostError } from '../contract/error.ts'
import { needsOtherEngine, refusalOf, refusedStatement } from './failure.ts'
import type { DumpPlaces } from './places.ts'
import type { DumpReport } from './report.ts'
import { storeDump } from './stored-dump.ts'

type ReportProgress = NonNullable<Doing['progress']>

/** How much of the work each step is. */
const READ_SHARE = 0.1
const TRIED_SHARE = 0.5

/** A dump, and how it is read. */
class Import {
  readonly #places: DumpPlaces
  readonly #request: DumpImport
  readonly #options: Doing

  constructor(places: DumpPlaces, request: DumpImport, options: Doing) {
    this.#places = places
    this.#request = request
    this.#options = options
  }

  async run(): Promise<DumpImported> {
    const { databases } = this.#places
    if (!databases?.isThere()) return this.#keep()
    const reading = { maxBytes: await databases.room(), collations: await databases.collations() }
    const first = await this.#report(reading)
    try {
      return await this.#load(databases, reading, first)
    } catch (error) {
      if (!needsOtherEngine(error)) throw await this.#named(error, reading, first)
      const withEngines = { ...reading, keepsEngines: true }
      return await this.#load(databases, withEngines, await this.#report(withEngines)).catch(async (again: unknown) => {
        throw await this.#named(again, withEngines, first)
      })
    }
  }

  async #keep(): Promise<DumpImported> {
    const reading = { maxBytes: MAX_STORED_BYTES, collations: { uca1400: true, uca0900: false } }
    const report = await this.#report(reading)
    await storeDump(this.#places.root, this.#request, this.#statements(reading, report))
    return resultOf(report, [])
  }

  get #home() {
    return this.#places.homes.saved(this.#request.account)
  }

  #dumpRequest(reading: DumpOptions): DumpRequest {
    const { source, from } = this.#request
    return { source, ...reading, ...(from !== undefined && { from }) }
  }

  /** Reads all of it, and refuses what cannot be imported before anything is changed. */
  async #report(reading: DumpOptions): Promise<DumpReport> {
    const { signal } = this.#options
    this.#progress('the dump is read', 0)
    const { bytes, report } = await this.#home.dump({ ...this.#dumpRequest(reading), isTrial: true }, signal)
    for await (const _ of bytes);
    const found = report()
    this.#progress(
      `${counted(found.tables, 'table')}, ${counted(found.rows, 'row')} in ${mb(found.bytes)} MB of statements`,
      READ_SHARE,
    )
    return found
  }

  async *#statements(reading: DumpOptions, { database, isLatin1 }: DumpReport): AsyncGenerator<Buffer> {
    const { signal } = this.#options
    const chosen = { ...(database !== undefined && { from: database }), ...(isLatin1 && { isLatin1 }) }
    const { bytes } = await this.#home.dump({ ...this.#dumpRequest(reading), ...chosen }, signal)
    yield* bytes
  }

  async #load(server: SavedDatabases, reading: DumpOptions, report: DumpReport): Promise<DumpImported> {
    const { database, account, prefix, replace, id } = this.#request
    const { signal } = this.#options
    let passes = 0
    const filling: Filling = {
      ...database,
      from: database.name,
      bytes: () => this.#watched(this.#statements(reading, report), report.bytes, passes++),
      definers: report.definers,
      account,
      prefix,
      formerPrefix: prefix,
      isPrepared: true,
      ...(!replace && { merges: true }),
      signal,
    }
    const journal = new RestoreJournal(this.#places.root, account.id, id, 'import')
    const { onFailPoint } = this.#places
    const warnings = await new Refill({ server, journal, filling, bytes: report.bytes, onFailPoint }).run()
    return resultOf(report, warnings)
  }

  /** The first pass tries it out, the next fills the database. */
  async *#watched(bytes: AsyncIterable<Buffer>, total: number, pass: number): AsyncGenerator<Buffer> {
    const [from, to] = pass === 0 ? [READ_SHARE, TRIED_SHARE] : [TRIED_SHARE, 1]
    const name = pass === 0 ? 'tried out' : 'imported'
    let [done, step] = [0, 0]
    for await (const piece of bytes) {
      yield piece
      done += piece.length
      const steps = Math.floor((STEPS * done) / Math.max(1, total))
      if (steps <= step) continue
      step = steps
      this.#progress(`${name}: ${mb(done)} of ${mb(total)} MB`, from + (to - from) * Math.min(1, done / total))
    }
  }

  readonly #progress: ReportProgress = (line, done) => this.#options.progress?.(line, done)

  /** An error of MariaDB's with the statement that it is about, and what to do. */
  async #named(error: unknown, reading: DumpOptions, report: DumpReport): Promise<unknown> {
    this.#options.signal?.throwIfAborted()
    const refused = refusedStatement(error)
    if (!refused) return error
    const { line } = refused
    const found = line === undefined ? undefined : await this.#statementAt(line, reading, report)
    return new HostError('precheck', refusalOf(refused, found, this.#request.replace))
  }

  async #statementAt(line: number, reading: DumpOptions, { database: from }: DumpReport): Promise<string | undefined> {
    const request = { ...this.#dumpRequest(reading), ...(from !== undefined && { from }), line, isTrial: true }
    const { bytes, report } = await this.#home.dump(request, this.#options.signal)
    for await (const _ of bytes);
    return report().found
  }
}

type DumpOptions = Pick<DumpRequest, 'maxBytes' | 'collations' | 'keepsEngines'>

/** Progress is reported in so many steps of each pass. */
const STEPS = 10
/** Of a host without a database server. */
const MAX_STORED_BYTES = 1024 ** 3
const MAX_OWNER_WARNINGS = 100

const mb = (bytes: number): number => Math.ceil(bytes / 1024 / 1024)

const resultOf = ({ tables, rows, bytes, warnings }: DumpReport, owners: readonly string[]): DumpImported => {
  const reasons = owners.slice(0, MAX_OWNER_WARNINGS).map((reason) => ({ reason }))
  return { tables, rows, bytes, warnings: [...warnings, ...reasons] }
}

/** Loads a dump into a database, all or nothing. */
export const importDatabase = (places: DumpPlaces, request: DumpImport, options: Doing): Promise<DumpImported> =>
  new Import(places, request, options).run()
