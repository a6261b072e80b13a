import type * as declared from '../../contract/dns.ts'
import { MAX_ZONE_FILE_BYTES, maxRecords } from '../../contract/dns.ts'
import type { Input } from '../../contract/operation.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import { turnOfCaller } from '../../runtime/jobs/shares.ts'
import type { AccountName, Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { inSlices, runToEnd, type Steps } from '../../runtime/operations/slices.ts'
import { dataText } from '../../shared/zone/data.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'
import { changeZone, type Edit, type NewRecord, type ToProblem, touchedBy, validate } from './change.ts'
import { ZoneError } from './error.ts'
import { isAddress } from './managed.ts'
import { near } from './neighbours.ts'
import { zoneParts } from './part.ts'
import { Remarks } from './remarks.ts'
import { maxTtl, minTtl, recordOf } from './rules.ts'
import { carry } from './save-zone.ts'
import { outputOf, recordsOf, toRecord, toZone } from './store.ts'
import type { RecordRow, ZoneRow } from './tables.ts'
import { type Finding, policyOf } from './validate-zone.ts'
import { FileError, TooManyLines } from './zone-file/error.ts'
import { type FileRecord, type Skipped, type ZoneFile, zoneFileSteps } from './zone-file/parse.ts'
import { keyOf, setOf } from './zone-index.ts'

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
  readonly remarks: Remarks
}

/** Parses and validates a zone file in steps. 409 `too-many` as soon as it has more than the largest zone. */
function* read(text: string, zone: string, ttl?: number): Steps<ReadFile> {
  if (Buffer.byteLength(text) > MAX_ZONE_FILE_BYTES) throw invalid('zone_file', 'must be at most 8 MiB')
  const file = yield* understood(zoneFileSteps(text, zone))
  const records: Read[] = []
  const errors: FileError[] = [...file.errors]
  const remarks = new Remarks()
  for (const one of file.records) {
    const found = readOne(one, zone, ttl, remarks)
    if (found instanceof FileError) errors.push(found)
    else records.push(found)
    yield
  }
  if (errors.length > 0) throw invalid('zone_file', listed(errors))
  return { zone, records, skipped: file.skipped, remarks }
}

const MAX_LISTED = 20

/** All errors in order of lines: who mends a file wants to see them at once. */
function listed(errors: readonly FileError[]): string {
  const sorted = errors.toSorted((one, other) => one.line - other.line)
  const more = sorted.length - MAX_LISTED
  return [...sorted.slice(0, MAX_LISTED).map(({ message }) => message), ...(more > 0 ? [`and ${more} more`] : [])].join(
    '; ',
  )
}

function* understood(steps: Steps<ZoneFile>): Steps<ZoneFile> {
  try {
    return yield* steps
  } catch (error) {
    throw error instanceof TooManyLines ? new Problem('too-many', error.message) : error
  }
}

function readOne(
  { line, record: input }: FileRecord,
  zone: string,
  fileTtl: number | undefined,
  remarks: Remarks,
): Read | FileError {
  try {
    const ttl = fileTtl ?? inRange(line, input.ttl, remarks)
    const record = recordOf({ ...input, ttl }, zone)
    return { line, record, key: keyOf(record) }
  } catch (error) {
    if (error instanceof ZoneError) return new FileError(line, `${error.field}: ${error.message}`)
    throw error
  }
}

/** A TTL that is served: files of other hosts have any (RFC 2181, 8). */
function inRange(line: number, ttl: number | null | undefined, remarks: Remarks): number | undefined {
  if (ttl === undefined || ttl === null) return undefined
  const served = Math.min(Math.max(ttl, minTtl), maxTtl)
  if (served !== ttl) remarks.add(line, `the TTL ${ttl} is ${served < ttl ? 'lowered' : 'raised'} to ${served}`)
  return served
}

interface Imported extends NewRecord {
  readonly line: number
  readonly key: string
}

/** A TTL equal to the zone's is omitted. */
function importedOf({ line, record, key }: Read, zone: ZoneRow, ttl = record.ttl): Imported {
  const { ttl: _, ...bare } = record
  if (ttl === undefined || ttl === zone.ttl) return { line, key, record: bare, ttl: null }
  return { line, key, record: { ...bare, ttl }, ttl }
}

/** Records of a name and type have one TTL: the lowest (RFC 2181, 5.2). */
function withOneTtl(reads: readonly Read[], zone: ZoneRow, remarks: Remarks): Imported[] {
  const ttlOf = ({ record }: Read) => record.ttl ?? zone.ttl
  const lowest = new Map<string, number>()
  for (const one of reads) lowest.set(setOf(one.record), Math.min(ttlOf(one), lowest.get(setOf(one.record)) ?? maxTtl))
  return reads.map((one) => {
    const ttl = lowest.get(setOf(one.record))!
    if (ttl !== ttlOf(one))
      remarks.add(
        one.line,
        `the TTL ${ttlOf(one)} is lowered to ${ttl}, the lowest of the records with this name and type`,
      )
    return importedOf(one, zone, ttl)
  })
}

interface Matched {
  readonly creates: readonly Imported[]
  readonly deletes: readonly RecordRow[]
  readonly unchanged: number
  readonly skipped: readonly Skipped[]
  /** The line of each record in the file, new or not. */
  readonly lines: ReadonlyMap<string, number>
}

interface There {
  readonly rows: readonly RecordRow[]
  /** Of these, what signs mail: a file of another host does not have it. */
  readonly isKey: (row: RecordRow) => boolean
}

const ttlFits = (row: RecordRow, { ttl }: NewRecord, zone: ZoneRow): boolean =>
  (ttl ?? zone.ttl) === (row.ttl ?? zone.ttl)

/** Splits the file's records into existing and new ones. */
function match(reads: readonly Imported[], there: There, zone: ZoneRow, mode: Body['mode'], remarks: Remarks): Matched {
  const rows = new Map(there.rows.map((row) => [keyOf(outputOf(row)), row]))
  const lines = new Map<string, number>()
  const stored = new Set<string>()
  const fresh: Imported[] = []
  for (const one of reads) {
    if (lines.has(one.key)) continue
    lines.set(one.key, one.line)
    const row = rows.get(one.key)
    const isOwn = mode === 'merge' && row?.managed === false
    if (row && isOwn && !ttlFits(row, one, zone))
      remarks.add(one.line, `the record is there with the TTL ${row.ttl ?? zone.ttl}, which stays`)
    if (row && (isOwn || ttlFits(row, one, zone) || there.isKey(row))) stored.add(row.id)
    else fresh.push(one)
  }
  const keys = there.rows.filter(there.isKey)
  const creates = fresh.filter(({ record }) => !keys.some((row) => isSameKey(row, record)))
  const skipped = fresh
    .filter((one) => !creates.includes(one))
    .map(({ line }) => ({ line, reason: 'the name has the key that signs mail here' }))
  const left = there.rows.filter((row) => !stored.has(row.id) && !there.isKey(row))
  const deletes = mode === 'replace' ? left : overridden(left, reads, remarks)
  if (mode === 'replace') remarkKeys(keys, stored, remarks)
  return {
    creates: mode === 'replace' ? creates : joined(creates, there.rows, deletes, zone, remarks),
    deletes,
    unchanged: stored.size,
    skipped,
    lines,
  }
}

const isSameKey = (row: RecordRow, record: ZoneRecord): boolean =>
  setOf(row) === setOf(record) && policyOf(record) !== undefined

function remarkKeys(keys: readonly RecordRow[], stored: ReadonlySet<string>, remarks: Remarks): void {
  for (const { id, name } of keys)
    if (!stored.has(id)) remarks.add(undefined, `the TXT record at ${name} stays: mail is signed with its key`)
}

/** Records of the template give way to records of the file for the same name and type. */
function overridden(rows: readonly RecordRow[], reads: readonly Imported[], remarks: Remarks): RecordRow[] {
  const byName = new Map<string, Imported[]>()
  for (const one of reads) byName.set(one.record.name, [...(byName.get(one.record.name) ?? []), one])
  return rows.filter((row) => {
    const winner = row.managed && byName.get(row.name)?.find(({ record }) => isAboutSame(record, outputOf(row)))
    if (winner) remarks.add(winner.line, `replaces what the panel had made: ${row.name} ${dataOf(row)}`)
    return Boolean(winner)
  })
}

const dataOf = (row: RecordRow): string => `${row.type} ${dataText(outputOf(row))}`

function isAboutSame(record: ZoneRecord, own: ZoneRecord): boolean {
  if (record.type === 'CNAME') return true
  if (isAddress(record)) return isAddress(own)
  if (record.type !== own.type) return false
  if (record.type !== 'TXT' || keyOf(record) === keyOf(own)) return true
  return policyOf(record) !== undefined && policyOf(record) === policyOf(own)
}

/** New records take the TTL of those that stay. */
function joined(
  creates: readonly Imported[],
  rows: readonly RecordRow[],
  deletes: readonly RecordRow[],
  zone: ZoneRow,
  remarks: Remarks,
): Imported[] {
  const gone = new Set(deletes)
  const staying = new Map(rows.filter((row) => !gone.has(row)).map((row) => [setOf(row), row]))
  return creates.map((one) => {
    const row = staying.get(setOf(one.record))
    if (!row || ttlFits(row, one, zone)) return one
    remarks.add(one.line, `takes the TTL ${row.ttl ?? zone.ttl} of the other records with this name and type`)
    return importedOf(one, zone, row.ttl ?? zone.ttl)
  })
}

function refuseTooMany({ creates, deletes }: { creates: readonly unknown[]; deletes: readonly unknown[] }): void {
  const count = creates.length + deletes.length
  if (count <= maxChanged) return
  const what = `${creates.length} to create and ${deletes.length} to delete`
  throw new Problem('too-many', `An import changes at most ${maxChanged} records; this one has ${what}.`)
}

/** The edit that replaces a zone's records by a file's. */
export function editOf(text: string, zone: ZoneRow, there: readonly RecordRow[]) {
  const { records, remarks } = runToEnd(read(text, zone.name))
  const reads = withOneTtl(records, zone, remarks)
  const { deletes, creates } = match(reads, { rows: there, isKey: () => false }, zone, 'replace', remarks)
  return { edit: { deletes, updates: [], creates } }
}

type Asking = Context & { readonly found: { readonly account: AccountName; readonly zone: ZoneRow } }

/** Outside the change, and beside other requests. */
const prepare = (ctx: Asking, { zone_file, ttl }: Pick<Body, 'zone_file' | 'ttl'>) =>
  inSlices(ctx.found.account.id, turnOfCaller(ctx), read(zone_file, ctx.found.zone.name, ttl))

/** Plans the import of a file, which is read again if the zone has been renamed since. */
function planOf(
  { db, runtime }: Pick<Context, 'db' | 'runtime'>,
  zone: ZoneRow,
  prepared: ReadFile,
  body: Omit<Body, 'serial'>,
) {
  const { zone_file, mode, ttl } = body
  const file = prepared.zone === zone.name ? prepared : runToEnd(read(zone_file, zone.name, ttl))
  const remarks = file.remarks.copy()
  const reads = withOneTtl(file.records, zone, remarks)
  const rows = recordsOf(db, zone.id)
  const keys = new Set(
    zoneParts(runtime)
      .flatMap(({ records }) => records?.(db, zone) ?? [])
      .map(setOf),
  )
  const isKey = (row: RecordRow) => row.managed && keys.has(setOf(row))
  const matched = match(reads, { rows, isKey }, zone, mode, remarks)
  if (matched.creates.length > maxRecords) refuseTooMany(matched)
  const settled = settle(db, zone, matched, remarks)
  const skipped = [...file.skipped, ...matched.skipped, ...settled.skipped].toSorted(
    (one, other) => one.line - other.line,
  )
  return { ...settled, skipped, warnings: remarks.listed(), matched: { ...matched, creates: settled.edit.creates } }
}

const tolerates = ({ target }: ZoneError): boolean => target === 'alias'

/** Leaves out records that point to hosts without an address; 400 with all lines that are wrong. */
function settle(db: Context['db'], zone: ZoneRow, { creates, deletes, lines }: Matched, remarks: Remarks) {
  const skipped: Skipped[] = []
  const toProblem = lineProblem(lines)
  for (let left = creates; ; ) {
    const edit: Edit = { deletes, updates: [], creates: left }
    const { findings, planned } = validate(zone, edit, near(db, zone, touchedBy(edit)))
    const out = left.filter((_, at) =>
      findings.some(({ record, error }) => record === planned.creates[at] && error.target === 'none'),
    )
    if (out.length === 0) {
      refuseAll(findings, lines)
      for (const { record, error } of findings)
        remarks.add(
          lines.get(keyOf(record)),
          `${record.name} ${record.type} points to ${record.value}: it ${error.message}`,
        )
      return { edit, skipped, toProblem }
    }
    for (const { line, record } of out)
      skipped.push({ line, reason: `${record.name} ${record.type}: ${record.value} has no address in the zone` })
    left = left.filter((one) => !out.includes(one))
  }
}

function refuseAll(findings: readonly Finding<ZoneRecord>[], lines: ReadonlyMap<string, number>): void {
  const errors = findings.filter(({ error }) => !tolerates(error))
  const at = ({ record }: Finding<ZoneRecord>) => lines.get(keyOf(record))
  const text = ({ record, error }: Finding<ZoneRecord>) =>
    `${record.name} ${record.type}: ${error.field}: ${error.message}`
  const placed = errors.flatMap((one) => (at(one) === undefined ? [] : [new FileError(at(one)!, text(one))]))
  if (placed.length > 0) throw invalid('zone_file', listed(placed))
  if (errors.length > 0) throw invalid('zone_file', errors.map(text).join('; '))
}

export const importDnsZone: Handler<typeof declared.importDnsZone, ReadFile> = {
  prepare: (ctx, { body }) => prepare(ctx, body),
  handle(ctx, { body: { serial, ...body } }, file) {
    const { account, zone } = ctx.found
    const { matched, skipped, warnings, edit, toProblem } = planOf(ctx, zone, file, body)
    const guard = { serial, toProblem, tolerates, refuse: () => refuseTooMany(matched) }
    const changed = changeZone(ctx, account, zone, edit, guard)
    const counts = { created: changed.created.length, deleted: changed.deleted.length }
    ctx.note({ account, object_id: zone.id, after: { mode: body.mode, ...counts } })
    return {
      zone: toZone(ctx, changed.zone),
      ...counts,
      unchanged: matched.unchanged,
      skipped,
      warnings,
      job_id: carry(ctx, account, zone),
    }
  },
}

export const compareDnsZone: Handler<typeof declared.compareDnsZone, ReadFile> = {
  prepare: (ctx, { body }) => prepare(ctx, body),
  handle(ctx, { body: { zone_file } }, file) {
    const { account, zone } = ctx.found
    const { matched, skipped, warnings, edit } = planOf(ctx, zone, file, { zone_file, mode: 'replace' })
    const { planned } = validate(zone, edit, near(ctx.db, zone, touchedBy(edit)), tolerates)
    refuseTooMany(matched)
    ctx.note({ account, object_id: zone.id })
    return {
      serial: zone.serial,
      created: planned.creates.map((record) => ({ ...record })),
      deleted: matched.deletes.map(toRecord),
      unchanged: matched.unchanged,
      skipped,
      warnings,
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
