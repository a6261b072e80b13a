import type * as declared from '../../contract/dns.ts'
import { MAX_ZONE_FILE_BYTES, maxRecords } from '../../contract/dns.ts'
import type { Input } from '../../contract/operation.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import { turnOfCaller } from '../../runtime/jobs/shares.ts'
import type { AccountName, Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { inSlices, runToEnd, type Steps } from '../../runtime/operations/slices.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'
import { changeZone, type NewRecord, type ToProblem, touchedBy, validate } from './change.ts'
import { withProblems, type ZoneError } from './error.ts'
import { near } from './neighbours.ts'
import { recordOf } from './rules.ts'
import { carry } from './save-zone.ts'
import { outputOf, recordsOf, toRecord, toZone } from './store.ts'
import type { RecordRow, ZoneRow } from './tables.ts'
import { FileError, TooManyLines } from './zone-file/error.ts'
import { type FileRecord, type Skipped, type ZoneFile, zoneFileSteps } from './zone-file/parse.ts'
import { keyOf } from './zone-index.ts'

type Body = Input<typeof declared.importDnsZone>['body']

const maxChanged = 2_000

const atLine = (line: number, message: string) => invalid('zone_file', `line ${line}: ${message}`)

/** A record of the file, validated by its type; with its own TTL or that of the whole file. */
interface Read {
  readonly line: number
  readonly record: ZoneRecord
  readonly key: string
}

interface ReadFile {
  readonly zone: string
  readonly records: readonly Read[]
  readonly skipped: readonly Skipped[]
}

/** Parses and validates a zone file in steps. 409 `too-many` as soon as it has more than the largest zone. */
function* read(text: string, zone: string, ttl?: number): Steps<ReadFile> {
  if (Buffer.byteLength(text) > MAX_ZONE_FILE_BYTES) throw invalid('zone_file', 'must be at most 8 MiB')
  const file = yield* understood(zoneFileSteps(text, zone))
  const records: Read[] = []
  for (const one of file.records) {
    records.push(readOne(one, zone, ttl))
    yield
  }
  return { zone, records, skipped: file.skipped }
}

function* understood(steps: Steps<ZoneFile>): Steps<ZoneFile> {
  try {
    return yield* steps
  } catch (error) {
    if (error instanceof TooManyLines) throw new Problem('too-many', error.message)
    throw error instanceof FileError ? invalid('zone_file', error.message) : error
  }
}

function readOne({ line, record: input }: FileRecord, zone: string, ttl: number | undefined): Read {
  const record = withProblems(
    () => recordOf({ ...input, ttl: ttl ?? input.ttl }, zone),
    ({ field, message }) => atLine(line, `${field}: ${message}`),
  )
  return { line, record, key: keyOf(record) }
}

interface Imported extends NewRecord {
  readonly line: number
  readonly key: string
}

/** A TTL equal to the zone's is omitted. */
function importedOf({ line, record, key }: Read, zone: ZoneRow): Imported {
  if (record.ttl !== zone.ttl) return { line, key, record, ttl: record.ttl }
  const { ttl: _, ...bare } = record
  return { line, key, record: bare as ZoneRecord, ttl: null }
}

interface Matched {
  readonly creates: readonly Imported[]
  readonly deletes: readonly RecordRow[]
  readonly unchanged: number
  /** The line of each record in the file, new or not. */
  readonly lines: ReadonlyMap<string, number>
}

const ttlFits = (row: RecordRow, { ttl }: NewRecord, zone: ZoneRow): boolean =>
  ttl === undefined || (ttl ?? zone.ttl) === (row.ttl ?? zone.ttl)

/** Splits the file's records into existing and new ones. */
function match(reads: readonly Imported[], there: readonly RecordRow[], zone: ZoneRow, mode: Body['mode']): Matched {
  const rows = new Map(there.map((row) => [keyOf(outputOf(row)), row]))
  const lines = new Map<string, number>()
  const stored = new Set<string>()
  const creates: Imported[] = []
  for (const one of reads) {
    if (lines.has(one.key)) continue
    lines.set(one.key, one.line)
    const row = rows.get(one.key)
    if (row && ttlFits(row, one, zone)) stored.add(row.id)
    else if (row && mode === 'merge') throw atLine(one.line, 'ttl: the record is there with another TTL')
    else creates.push(one)
  }
  const deletes = mode === 'replace' ? there.filter(({ id }) => !stored.has(id)) : []
  return { creates, deletes, unchanged: stored.size, lines }
}

function refuseTooMany({ creates, deletes }: Matched): void {
  const count = creates.length + deletes.length
  if (count <= maxChanged) return
  const what = `${creates.length} to create and ${deletes.length} to delete`
  throw new Problem('too-many', `An import changes at most ${maxChanged} records; this one has ${what}.`)
}

/** The edit that replaces a zone's records by a file's. */
export function editOf(text: string, zone: ZoneRow, there: readonly RecordRow[]) {
  const reads = runToEnd(read(text, zone.name)).records.map((one) => importedOf(one, zone))
  const { deletes, creates } = match(reads, there, zone, 'replace')
  return { edit: { deletes, updates: [], creates } }
}

type Asking = Context & { readonly found: { readonly account: AccountName; readonly zone: ZoneRow } }

/** Outside the change, and beside other requests. */
const prepare = (ctx: Asking, { zone_file, ttl }: Pick<Body, 'zone_file' | 'ttl'>) =>
  inSlices(ctx.found.account.id, turnOfCaller(ctx), read(zone_file, ctx.found.zone.name, ttl))

/** Plans the import of a file, which is read again if the zone has been renamed since. */
function planOf({ db }: Pick<Context, 'db'>, zone: ZoneRow, prepared: ReadFile, body: Omit<Body, 'serial'>) {
  const { zone_file, mode, ttl } = body
  const file = prepared.zone === zone.name ? prepared : runToEnd(read(zone_file, zone.name, ttl))
  const reads = file.records.map((one) => importedOf(one, zone))
  const matched = match(reads, recordsOf(db, zone.id), zone, mode)
  if (matched.creates.length > maxRecords) refuseTooMany(matched)
  const edit = { deletes: matched.deletes, updates: [], creates: matched.creates }
  return { skipped: [...file.skipped], matched, edit, toProblem: lineProblem(matched.lines) }
}

export const importDnsZone: Handler<typeof declared.importDnsZone, ReadFile> = {
  prepare: (ctx, { body }) => prepare(ctx, body),
  handle(ctx, { body: { serial, ...body } }, file) {
    const { account, zone } = ctx.found
    const { matched, skipped, edit, toProblem } = planOf(ctx, zone, file, body)
    const guard = { serial, toProblem, refuse: () => refuseTooMany(matched) }
    const changed = changeZone(ctx, account, zone, edit, guard)
    const counts = { created: changed.created.length, deleted: changed.deleted.length }
    ctx.note({ account, object_id: zone.id, after: { mode: body.mode, ...counts } })
    return {
      zone: toZone(ctx, changed.zone),
      ...counts,
      unchanged: matched.unchanged,
      skipped,
      job_id: carry(ctx, account, zone),
    }
  },
}

export const compareDnsZone: Handler<typeof declared.compareDnsZone, ReadFile> = {
  prepare: (ctx, { body }) => prepare(ctx, body),
  handle(ctx, { body: { zone_file } }, file) {
    const { account, zone } = ctx.found
    const { matched, skipped, edit, toProblem } = planOf(ctx, zone, file, { zone_file, mode: 'replace' })
    const { planned, finding } = validate(zone, edit, near(ctx.db, zone, touchedBy(edit)))
    if (finding) throw toProblem(finding.error, undefined, finding.record)
    refuseTooMany(matched)
    ctx.note({ account, object_id: zone.id })
    return {
      serial: zone.serial,
      created: planned.creates.map((record) => ({ ...record })),
      deleted: matched.deletes.map(toRecord),
      unchanged: matched.unchanged,
      skipped,
    }
  },
}

/** Reports a broken rule at its line or, if none is at fault, for the whole file. */
const lineProblem =
  (lines: ReadonlyMap<string, number>): ToProblem =>
  (error: ZoneError, _place, record: ZoneRecord) => {
    const line = lines.get(keyOf(record))
    const what = `${record.name} ${record.type}: ${error.field}: ${error.message}`
    return line === undefined ? invalid('zone_file', what) : atLine(line, what)
  }
