import { maxRecords } from '../../contract/dns.ts'
import { Problem } from '../../contract/problem.ts'
import type { AccountName, Context } from '../../runtime/operations/context.ts'
import { runToEnd, type Steps } from '../../runtime/operations/slices.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'
import type { ZoneError } from './error.ts'
import { addServers } from './managed.ts'
import { type Near, near } from './neighbours.ts'
import { emit, raiseSerial, refuseOtherSerial, rowOf } from './save-zone.ts'
import { addRecord, columnsOf, outputOf, recordCount, removeRecord, setRecord } from './store.ts'
import type { RecordRow, ZoneRow } from './tables.ts'
import { type Finding, findingSteps } from './validate-zone.ts'
import { setOf } from './zone-index.ts'

/** A TTL in a request: `undefined` takes that of the record set, `null` the zone's. */
type TtlInput = number | null | undefined

/** The record with the TTL of its record set, if it gives none or the same. */
function withTtlOfRest<R extends ZoneRecord>(
  record: R,
  input: TtlInput,
  rest: ReadonlyMap<string, ZoneRecord>,
  zoneTtl: number,
): R {
  const other = rest.get(setOf(record))
  if (!other || (input !== undefined && (input ?? zoneTtl) !== (other.ttl ?? zoneTtl))) return record
  const { ttl: _, ...bare } = record
  return (other.ttl === undefined ? bare : { ...bare, ttl: other.ttl }) as R
}

/** A record to be written, already validated by its type alone. */
export interface NewRecord {
  readonly record: ZoneRecord
  readonly ttl: TtlInput
}

export interface Edit {
  readonly deletes: readonly RecordRow[]
  readonly updates: readonly (NewRecord & { readonly row: RecordRow })[]
  readonly creates: readonly NewRecord[]
}

export const noEdit: Edit = { deletes: [], updates: [], creates: [] }

/** An item of an edit: its list and index. */
export interface BatchEntry {
  readonly list: 'delete' | 'update' | 'create'
  readonly at: number
}

/** Turns a fault into the caller's error; without a place, the fault is in an unchanged record. */
export type ToProblem = (error: ZoneError, place: BatchEntry | undefined, record: ZoneRecord) => Error

export interface Guard {
  /** The serial that the caller has seen. */
  readonly serial: number | undefined
  readonly toProblem: ToProblem
  /** Throws if the change is too large. */
  readonly refuse?: () => void
  /** Errors that the caller reports as warnings. */
  readonly tolerates?: (error: ZoneError) => boolean
  /** Of a large edit: found out before the change, which others wait for. */
  readonly validated?: Validated | undefined
}

export interface Changed {
  readonly zone: ZoneRow
  readonly deleted: readonly RecordRow[]
  readonly updated: readonly RecordRow[]
  readonly created: readonly RecordRow[]
}

export interface Draft {
  readonly updates: readonly ZoneRecord[]
  readonly creates: readonly ZoneRecord[]
  readonly all: readonly ZoneRecord[]
  readonly placeOf: ReadonlyMap<ZoneRecord, BatchEntry>
}

/** Records without a TTL take that of the others of their name and type, including earlier ones in the edit. */
function draft(there: readonly RecordRow[], { deletes, updates, creates }: Edit, zone: ZoneRow): Draft {
  const gone = new Set([...deletes, ...updates.map(({ row }) => row)].map(({ id }) => id))
  const remaining = there.filter(({ id }) => !gone.has(id)).map(outputOf)
  const rest = new Map(remaining.map((record) => [setOf(record), record]))
  const settled = ({ record, ttl }: NewRecord): ZoneRecord => {
    const with_ = withTtlOfRest({ ...record }, ttl, rest, zone.ttl)
    if (!rest.has(setOf(with_))) rest.set(setOf(with_), with_)
    return with_
  }
  const updated = updates.map(settled)
  const created = creates.map(settled)
  const places: [ZoneRecord, BatchEntry][] = [
    ...updated.map((record, at): [ZoneRecord, BatchEntry] => [record, { list: 'update', at }]),
    ...created.map((record, at): [ZoneRecord, BatchEntry] => [record, { list: 'create', at }]),
  ]
  return { updates: updated, creates: created, all: [...remaining, ...updated, ...created], placeOf: new Map(places) }
}

const order = { delete: 0, update: 1, create: 2 }
const rank = (place: BatchEntry | undefined): number => (place ? order[place.list] * 1e6 + place.at : 3e6)

/** The fault to report: that of the first item that has one. */
function firstOf(findings: readonly Finding<ZoneRecord>[], { placeOf }: Draft): Finding<ZoneRecord> | undefined {
  return findings.toSorted((a, b) => rank(placeOf.get(a.record)) - rank(placeOf.get(b.record)))[0]
}

/** Whether an update changes nothing. */
const same = (row: RecordRow, record: ZoneRecord): boolean => {
  const columns = columnsOf(record)
  return (Object.keys(columns) as (keyof typeof columns)[]).every((key) => columns[key] === row[key])
}

/** The records of an edit, before and after. */
export const touchedBy = ({ deletes, updates, creates }: Edit): ZoneRecord[] => [
  ...[...deletes, ...updates.map(({ row }) => row)].map(outputOf),
  ...[...updates, ...creates].map(({ record }) => record),
]

/** The records that an edit leads to, and their faults. */
export interface Validated {
  readonly planned: Draft
  readonly findings: readonly Finding<ZoneRecord>[]
}

export function* validate(zone: ZoneRow, edit: Edit, { records, isChecked }: Near): Steps<Validated> {
  const planned = draft(records, edit, zone)
  yield
  const changed = new Set(planned.placeOf.keys())
  return { planned, findings: yield* findingSteps(zone, planned.all, changed, isChecked) }
}

/** The same by the records that the edit can invalidate. */
export function* validateNear(db: Context['db'], zone: ZoneRow, edit: Edit): Steps<Validated> {
  return yield* validate(zone, edit, yield* near(db, zone, touchedBy(edit)))
}

/** Whether what was found out about a zone outside the change still holds in it. */
export const isUnchanged = (before: ZoneRow, { id, serial, name, ttl }: ZoneRow): boolean =>
  before.id === id && before.serial === serial && before.name === name && before.ttl === ttl

/** The fault to report. */
export const findingOf = ({ planned, findings }: Validated, tolerates: Guard['tolerates'] = () => false) =>
  firstOf(worst(findings.filter(({ error }) => !tolerates(error))), planned)

/** Bad input is reported before conflicts. */
function worst<R extends ZoneRecord>(findings: readonly Finding<R>[]): readonly Finding<R>[] {
  const invalid = findings.filter(({ error }) => error.code === 'validation')
  return invalid.length > 0 ? invalid : findings
}

/** Applies an edit atomically: one serial, one event for each changed record. */
export function changeZone(
  ctx: Context,
  account: AccountName,
  zone: ZoneRow,
  edit: Edit,
  { serial, toProblem, refuse, tolerates, validated }: Guard,
): Changed {
  const outcome = validated ?? runToEnd(validateNear(ctx.db, zone, edit))
  const { planned } = outcome
  const finding = findingOf(outcome, tolerates)
  const error = finding && toProblem(finding.error, planned.placeOf.get(finding.record), finding.record)
  // Report bad input before conflicts.
  if (error instanceof Problem && error.status === 400) throw error
  refuseOtherSerial(zone, serial)
  if (error) throw error
  refuse?.()
  const count = recordCount(ctx, zone.id) - edit.deletes.length + edit.creates.length
  if (count > maxRecords)
    throw new Problem('too-many', `A zone has at most ${maxRecords} records; this would make ${count}.`)
  return write(ctx, account, zone, edit, planned)
}

function write(ctx: Context, account: AccountName, zone: ZoneRow, edit: Edit, { updates, creates }: Draft): Changed {
  const pairs = edit.updates.map(({ row }, at) => ({ row, record: updates[at]! }))
  const changing = pairs.filter(({ row, record }) => !same(row, record))
  if (edit.deletes.length + changing.length + creates.length === 0)
    return { zone, deleted: [], updated: edit.updates.map(({ row }) => row), created: [] }
  for (const row of edit.deletes) {
    removeRecord(ctx, row.id)
    emit(ctx, account, 'deleted', zone, row)
  }
  const updated = pairs.map(({ row, record }) => (same(row, record) ? row : updateRow(ctx, row, record)))
  for (const row of updated.filter((one, at) => one !== pairs[at]!.row)) emit(ctx, account, 'updated', zone, row)
  const created = creates.map((record) => rowOf(ctx, zone, record, false))
  for (const row of created) {
    addRecord(ctx, row)
    emit(ctx, account, 'created', zone, row)
  }
  addServers(ctx, account, zone)
  return { zone: raiseSerial(ctx, zone, account.owner_id), deleted: edit.deletes, updated, created }
}

/** A managed record that a caller changes becomes the caller's own. */
function updateRow(ctx: Context, row: RecordRow, record: ZoneRecord): RecordRow {
  const values = { ...columnsOf(record), managed: false, updated_at: ctx.now }
  setRecord(ctx, row.id, values)
  return { ...row, ...values }
}
