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
import { changeZone, type Edit, isUnchanged, type NewRecord, type ToProblem, validateNear } from './change.ts'
import { displacedBy, isAboutSame } from './displaced.ts'
import { ZoneError } from './error.ts'
import { zoneParts } from './part.ts'
import { Remarks } from './remarks.ts'
import { maxTtl, recordOf, servedTtl } from './rules.ts'
import { carry } from './save-zone.ts'
import { outputOf, recordSteps, setRecord, toRecord, toZone, zoneById } from './store.ts'
import type { RecordRow, ZoneRow } from './tables.ts'
import { type Finding, policyOf } from './validate-zone.ts'
import { FileError, TooManyLines } from './zone-file/error.ts'
import { type FileRecord, type Skipped, type ZoneFile, zoneFileSteps } from './zone-file/parse.ts'
import { keyOf, setOf } from './zone-index.ts'

type ZoneImportBody = Input<typeof declared.importDnsZone>['body']

const maxChanged = 2_000

const atLine = (line: number, message: string) => invalid('zone_file', `line ${line}: ${message}`)

/** A record of the file, validated by its type; with its own TTL or that of the whole file. */
interface ReadZone {
  readonly line: number
  readonly record: ZoneRecord
  readonly key: string
}

interface ReadFile {
  readonly zone: string
  readonly records: readonly ReadZone[]
  readonly skipped: readonly Skipped[]
  readonly remarks: Remarks
}

/** Parses and validates a zone file in steps. 409 `too-many` as soon as it has more than the largest zone. */
function* read(text: string, zone: string, ttl?: number): Steps<ReadFile> {
  if (Buffer.byteLength(text) > MAX_ZONE_FILE_BYTES) throw invalid('zone_file', 'must be at most 8 MiB')
  const file = yield* understood(zoneFileSteps(text, zone))
  const records: ReadZone[] = []
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
): ReadZone | FileError {
  try {
    const ttl = fileTtl ?? inRange(line, input.ttl, remarks)
    const record = recordOf({ ...input, ttl }, zone)
    return { line, record, key: keyOf(record) }
  } catch (error) {
    if (error instanceof ZoneError) return new FileError(line, `${error.field}: ${error.message}`)
    throw error
  }
}

function inRange(line: number, ttl: number | null | undefined, remarks: Remarks): number | undefined {
  const served = servedTtl(ttl)
  if (served !== undefined && served !== ttl)
    remarks.add(line, `the TTL ${ttl} is ${served < (ttl ?? 0) ? 'lowered' : 'raised'} to ${served}`)
  return served
}

interface Imported extends NewRecord {
  readonly line: number
  readonly key: string
}

/** A TTL equal to the zone's is omitted. */
function importedOf({ line, record, key }: ReadZone, zone: ZoneRow, ttl = record.ttl): Imported {
  const { ttl: _, ...bare } = record
  if (ttl === undefined || ttl === zone.ttl) return { line, key, record: bare, ttl: null }
  return { line, key, record: { ...bare, ttl }, ttl }
}

/** Records of a name and type have one TTL: the lowest (RFC 2181, 5.2). */
function withOneTtl(reads: readonly ReadZone[], zone: ZoneRow, remarks: Remarks): Imported[] {
  const ttlOf = ({ record }: ReadZone) => record.ttl ?? zone.ttl
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
function* match(
  reads: readonly Imported[],
  there: There,
  zone: ZoneRow,
  mode: ZoneImportBody['mode'],
  remarks: Remarks,
): Steps<Matched> {
  const rows = new Map<string, RecordRow>()
  for (const row of there.rows) {
    rows.set(keyOf(outputOf(row)), row)
    yield
  }
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
    yield
  }
  const keys = there.rows.filter(there.isKey)
  const isSigning = ({ record }: Imported) => keys.some((row) => isSameKey(row, record))
  const creates = fresh.filter((one) => !isSigning(one))
  const skipped = fresh
    .filter(isSigning)
    .map(({ line }) => ({ line, reason: 'the name has the key that signs mail here' }))
  yield
  const left = there.rows.filter((row) => !stored.has(row.id) && !there.isKey(row))
  const deletes = mode === 'replace' ? left : overridden(left, reads, remarks)
  const pointless = displacedBy(there.rows, { deletes, updates: [], creates }).filter(({ id }) => !stored.has(id))
  for (const row of pointless) remarks.add(undefined, `what the panel had made goes: ${row.name} ${dataOf(row)}`)
  if (mode === 'replace') remarkKeys(keys, stored, remarks)
  return {
    creates: mode === 'replace' ? creates : joined(creates, there.rows, deletes, zone, remarks),
    deletes: [...deletes, ...pointless],
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
  for (const one of reads) {
    const there = byName.get(one.record.name)
    if (there) there.push(one)
    else byName.set(one.record.name, [one])
  }
  return rows.filter((row) => {
    const winner = row.managed && byName.get(row.name)?.find(({ record }) => isAboutSame(record, outputOf(row)))
    if (winner) remarks.add(winner.line, `replaces what the panel had made: ${row.name} ${dataOf(row)}`)
    return Boolean(winner)
  })
}

const dataOf = (row: RecordRow): string => `${row.type} ${dataText(outputOf(row))}`

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
  const { deletes, creates } = runToEnd(match(reads, { rows: there, isKey: () => false }, zone, 'replace', remarks))
  return { edit: { deletes, updates: [], creates } }
}

/**
 * Adds records of another server to a zone, in one edit; those for a name and type that the panel has made a record for
 * take its place. Those that `isManaged` names follow the account's addresses. Returns what is left out, by the
 * record's position from 1.
 */
export function mergeRecords(
  ctx: Context,
  account: AccountName,
  zone: ZoneRow,
  records: readonly ZoneRecord[],
  isManaged: (record: ZoneRecord) => boolean,
): readonly Skipped[] {
  const reads = records.map((record, at) => ({ line: at + 1, record, key: keyOf(record) }))
  const file: ReadFile = { zone: zone.name, records: reads, skipped: [], remarks: new Remarks() }
  const { edit, skipped, toProblem } = runToEnd(planOf(ctx, zone, file, { zone_file: '', mode: 'merge' }))
  const { created } = changeZone(ctx, account, zone, edit, { serial: undefined, toProblem, tolerates })
  for (const { id } of created.filter((row) => isManaged(outputOf(row)))) setRecord(ctx, id, { managed: true })
  return skipped
}

type Asking = Context & { readonly found: { readonly account: AccountName; readonly zone: ZoneRow } }

interface Prepared {
  readonly file: ReadFile
  readonly zone: ZoneRow
  /** The plan for this state of the zone, or the error: the change decides whether to report it. */
  readonly plan?: Plan
  readonly error?: unknown
}

type ImportRequest = Pick<ZoneImportBody, 'zone_file' | 'ttl' | 'mode'>

/** Outside the change, and beside other requests. */
const prepare = (ctx: Asking, request: ImportRequest): Promise<Prepared> =>
  inSlices(ctx.found.account.id, turnOfCaller(ctx), prepared(ctx, request))

function* prepared(ctx: Asking, request: ImportRequest): Steps<Prepared> {
  const { zone: found } = ctx.found
  const file = yield* read(request.zone_file, found.name, request.ttl)
  const zone = zoneById(ctx.db, found.id) ?? found
  try {
    return { file, zone, plan: yield* planOf(ctx, zone, file, request) }
  } catch (error) {
    return { file, zone, error }
  }
}

function planIn(ctx: Context, zone: ZoneRow, before: Prepared, request: ImportRequest): Plan {
  if (!isUnchanged(before.zone, zone)) return runToEnd(planOf(ctx, zone, before.file, request))
  if (!before.plan) throw before.error
  return before.plan
}

type Plan = ReturnType<typeof planOf> extends Steps<infer P> ? P : never

/** Plans the import of a file, which is read again if the zone has been renamed since. */
function* planOf(
  { db, runtime }: Pick<Context, 'db' | 'runtime'>,
  zone: ZoneRow,
  prepared: ReadFile,
  { zone_file, mode, ttl }: ImportRequest,
) {
  const file = prepared.zone === zone.name ? prepared : yield* read(zone_file, zone.name, ttl)
  const remarks = file.remarks.copy()
  const reads = withOneTtl(file.records, zone, remarks)
  const rows = yield* recordSteps(db, zone.id)
  const keys = new Set(
    zoneParts(runtime)
      .flatMap(({ records }) => records?.(db, zone) ?? [])
      .map(setOf),
  )
  const isKey = (row: RecordRow) => row.managed && keys.has(setOf(row))
  const matched = yield* match(reads, { rows, isKey }, zone, mode, remarks)
  if (matched.creates.length > maxRecords) refuseTooMany(matched)
  const settled = yield* settle(db, zone, matched, remarks)
  const skipped = [...file.skipped, ...matched.skipped, ...settled.skipped].toSorted(
    (one, other) => one.line - other.line,
  )
  return { ...settled, skipped, warnings: remarks.listed(), matched: { ...matched, creates: settled.edit.creates } }
}

const tolerates = ({ target }: ZoneError): boolean => target === 'alias'

/** Leaves out records that point to hosts without an address; 400 with all lines that are wrong. */
function* settle(db: Context['db'], zone: ZoneRow, { creates, deletes, lines }: Matched, remarks: Remarks) {
  const skipped: Skipped[] = []
  const toProblem = lineProblem(lines)
  for (let left = creates; ; ) {
    const edit: Edit = { deletes, updates: [], creates: left }
    const validated = yield* validateNear(db, zone, edit)
    const { findings, planned } = validated
    const pointless = new Set(findings.filter(({ error }) => error.target === 'none').map(({ record }) => record))
    const out = new Set(left.filter((_, at) => pointless.has(planned.creates[at]!)))
    if (out.size === 0) {
      refuseAll(findings, lines)
      for (const { record, error } of findings)
        remarks.add(
          lines.get(keyOf(record)),
          `${record.name} ${record.type} points to ${record.value}: it ${error.message}`,
        )
      return { edit, validated, skipped, toProblem }
    }
    for (const { line, record } of out)
      skipped.push({ line, reason: `${record.name} ${record.type}: ${record.value} has no address in the zone` })
    left = left.filter((one) => !out.has(one))
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

export const importDnsZone: Handler<typeof declared.importDnsZone, Prepared> = {
  prepare: (ctx, { body }) => prepare(ctx, body),
  handle(ctx, { body: { serial, ...body } }, before) {
    const { account, zone } = ctx.found
    const { matched, skipped, warnings, edit, validated, toProblem } = planIn(ctx, zone, before, body)
    const guard = { serial, toProblem, tolerates, validated, refuse: () => refuseTooMany(matched) }
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

export const compareDnsZone: Handler<typeof declared.compareDnsZone, Prepared> = {
  prepare: (ctx, { body: { zone_file } }) => prepare(ctx, { zone_file, mode: 'replace' }),
  handle(ctx, { body: { zone_file } }, before) {
    const { account, zone } = ctx.found
    const { matched, skipped, warnings, validated } = planIn(ctx, zone, before, { zone_file, mode: 'replace' })
    const { planned } = validated
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
