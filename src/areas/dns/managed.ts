import { maxRecords } from '../../contract/dns.ts'
import type { AccountName, Context } from '../../runtime/operations/context.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'
import { accountById, addressesOfAccount } from '../accounts/store.ts'
import { relative } from './names.ts'
import { emit, raiseSerial, rowOf, serversFor } from './save-zone.ts'
import { addRecord, columnsOf, outputOf, recordsOf, removeRecord, setRecord } from './store.ts'
import type { RecordRow, ZoneRow } from './tables.ts'
import { addressRecords, discoveryNames, spf } from './template.ts'
import { findingsOf, ownServers, unaddressed } from './validate-zone.ts'

export const isAddress = ({ type }: { readonly type: string }): boolean => type === 'A' || type === 'AAAA'

/** Whether existing records keep the panel from writing another. */
export const isTaken = (there: readonly ZoneRecord[], { name, type }: ZoneRecord): boolean =>
  there.some(
    (other) =>
      other.name === name &&
      (other.type === 'CNAME' || other.type === type || (isAddress(other) && isAddress({ type }))),
  )

const isSound = (zone: ZoneRow, records: readonly ZoneRecord[], changed: readonly ZoneRecord[] = []): boolean =>
  records.length <= maxRecords && findingsOf(zone, records, new Set(changed)).length === 0

/** Adds a subdomain's addresses, unless its name is taken. */
export const addSub = (ctx: Context, account: AccountName, zone: ZoneRow, records: readonly ZoneRecord[]): boolean =>
  addFree(ctx, account, zone, [records])

type Changes = Pick<Context, 'runtime' | 'store' | 'db' | 'now' | 'id' | 'emit'>

/** Adds each group of records whose names are free; returns whether it added any. */
export function addFree(
  ctx: Changes,
  account: AccountName,
  zone: ZoneRow,
  groups: readonly (readonly ZoneRecord[])[],
): boolean {
  const there = recordsOf(ctx.db, zone.id).map(outputOf)
  const added: ZoneRecord[] = []
  for (const records of groups) {
    const known = [...there, ...added]
    if (records.some((record) => isTaken(known, record))) continue
    if (isSound(zone, [...known, ...records], records)) added.push(...records)
  }
  if (added.length === 0) return false
  raiseSerial(ctx, zone, account.owner_id)
  for (const record of added) create(ctx, account, zone, record)
  return true
}

/** Adds addresses of the owner's in-zone name servers, which the zone adopts with its next change. */
export function addServers(ctx: Context, account: AccountName, zone: ZoneRow): void {
  const nameservers = serversFor(ctx, account.owner_id)
  if (ownServers({ name: zone.name, nameservers }).length === 0) return
  const addresses = addressesOfAccount(accountById(ctx.db, account.id)!)
  for (const server of unaddressed({ name: zone.name, nameservers }, recordsOf(ctx.db, zone.id).map(outputOf)))
    addServer(ctx, account, zone, addressRecords(relative(server, zone.name), addresses))
}

function addServer(ctx: Context, account: AccountName, zone: ZoneRow, records: readonly ZoneRecord[]): void {
  const there = recordsOf(ctx.db, zone.id).map(outputOf)
  if (records.some((record) => isTaken(there, record)) || there.length + records.length > maxRecords) return
  for (const record of records) create(ctx, account, zone, record)
}

function create(ctx: Changes, account: AccountName, zone: ZoneRow, record: ZoneRecord): void {
  const row = rowOf(ctx, zone, record, true)
  addRecord(ctx, row)
  emit(ctx, account, 'created', zone, row)
}

/** The managed records of a name, unless others point to it or mail programs ask for it. */
export function managedAt(ctx: Pick<Context, 'db'>, zone: ZoneRow, name: string): RecordRow[] {
  const there = recordsOf(ctx.db, zone.id)
  const isOfMail = (discoveryNames as readonly string[]).includes(name)
  const gone = isOfMail ? [] : there.filter((row) => row.managed && row.name === name && isAddress(row))
  const left = there.filter((row) => !gone.includes(row)).map(outputOf)
  return gone.length > 0 && isSound(zone, left) ? gone : []
}

export function removeSub(ctx: Context, account: AccountName, zone: ZoneRow, name: string): void {
  const gone = managedAt(ctx, zone, name)
  if (gone.length === 0) return
  raiseSerial(ctx, zone, account.owner_id)
  for (const row of gone) {
    removeRecord(ctx, row.id)
    emit(ctx, account, 'deleted', zone, row)
  }
}

/** What becomes of a managed record: without a row it is new, without a record it goes. */
type Move =
  | { readonly row: RecordRow; readonly record?: ZoneRecord | undefined }
  | { readonly row?: undefined; readonly record: ZoneRecord }

/** Changes a zone's managed records to the account's addresses, one by one. */
export function followAddresses(ctx: Context, account: AccountName, zone: ZoneRow, addresses: readonly string[]): void {
  const there = recordsOf(ctx.db, zone.id)
  const own = new Set(there.filter(({ managed }) => !managed).map(setKey))
  const moves = movesOf(
    there.filter(({ managed }) => managed),
    addresses,
  ).flatMap((move) => besides(own, move))
  if (moves.length === 0) return
  raiseSerial(ctx, zone, account.owner_id)
  let room = maxRecords - there.length
  for (const move of moves) if (move.row || room-- > 0) follow(ctx, account, zone, move)
}

const setKey = ({ name, type }: Pick<ZoneRecord, 'name' | 'type'>): string => `${name} ${type}`

function movesOf(managed: readonly RecordRow[], addresses: readonly string[]): Move[] {
  const named = new Map<string, RecordRow[]>()
  for (const row of managed.filter(isAddress)) named.set(row.name, [...(named.get(row.name) ?? []), row])
  const policies = managed.filter(({ type, value }) => type === 'TXT' && value.startsWith('v=spf1'))
  return [
    ...[...named].flatMap(([name, rows]) => addressMoves(rows, addressRecords(name, addresses))),
    ...policies.map((row) => ({ row, record: { ...outputOf(row), value: spf(addresses) } })),
  ].filter(({ row, record }) => row?.type !== record?.type || row?.value !== record?.value)
}

/** Where an account loses the addresses of one family and gains those of the other, its rows change with them. */
function addressMoves(rows: readonly RecordRow[], records: readonly ZoneRecord[]): Move[] {
  const rowOfType = ({ type }: ZoneRecord) => rows.find((row) => row.type === type)
  const rowsLeft = rows.filter(({ type }) => !records.some((record) => record.type === type))
  return [
    ...records.map((record): Move => {
      const row = rowOfType(record) ?? rowsLeft.shift()
      return row ? { row, record: { ...outputOf(row), ...record } } : { record }
    }),
    ...rowsLeft.map((row) => ({ row })),
  ]
}

/** The customer's own record of a type, which is the same or has another TTL, takes the place of a managed one. */
function besides(own: ReadonlySet<string>, move: Move): Move[] {
  const { row, record } = move
  if (!record || row?.type === record.type || !own.has(setKey(record))) return [move]
  return row ? [{ row }] : []
}

function follow(ctx: Context, account: AccountName, zone: ZoneRow, { row, record }: Move): void {
  if (!row) return create(ctx, account, zone, record)
  if (!record) {
    removeRecord(ctx, row.id)
    return emit(ctx, account, 'deleted', zone, row)
  }
  const values = { ...columnsOf(record), updated_at: ctx.now }
  setRecord(ctx, row.id, values)
  emit(ctx, account, 'updated', zone, { ...row, ...values })
}
