import { maxRecords } from '../../contract/dns.ts'
import type { AccountName, Context } from '../../runtime/operations/context.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'
import { accountById } from '../accounts/store.ts'
import { relative } from './names.ts'
import { emit, raiseSerial, rowOf, serversFor } from './save-zone.ts'
import { addRecord, columnsOf, outputOf, recordsOf, removeRecord, setRecord } from './store.ts'
import type { RecordRow, ZoneRow } from './tables.ts'
import { addressRecord, spf } from './template.ts'
import { findingsOf, ownServers, unaddressed } from './validate-zone.ts'

export const isAddress = ({ type }: Pick<ZoneRecord, 'type'>): boolean => type === 'A' || type === 'AAAA'

/** Whether existing records keep the panel from writing another. */
export const isTaken = (there: readonly ZoneRecord[], { name, type }: ZoneRecord): boolean =>
  there.some(
    (other) =>
      other.name === name &&
      (other.type === 'CNAME' || other.type === type || (isAddress(other) && isAddress({ type }))),
  )

const isSound = (zone: ZoneRow, records: readonly ZoneRecord[], changed: readonly ZoneRecord[] = []): boolean =>
  records.length <= maxRecords && findingsOf(zone, records, new Set(changed)).length === 0

/** Adds a subdomain's address, unless its name is taken. */
export function addSub(ctx: Context, account: AccountName, zone: ZoneRow, record: ZoneRecord): void {
  const there = recordsOf(ctx.db, zone.id).map(outputOf)
  if (isTaken(there, record) || !isSound(zone, [...there, record], [record])) return
  const row = rowOf(ctx, zone, record, true)
  raiseSerial(ctx, zone, account.owner_id)
  addRecord(ctx, row)
  emit(ctx, account, 'created', zone, row)
}

/** Adds addresses of the owner's in-zone name servers, which the zone adopts with its next change. */
export function addServers(ctx: Context, account: AccountName, zone: ZoneRow): void {
  const nameservers = serversFor(ctx, account.owner_id)
  if (ownServers({ name: zone.name, nameservers }).length === 0) return
  const ip = accountById(ctx.db, account.id)!.ip_address
  for (const server of unaddressed({ name: zone.name, nameservers }, recordsOf(ctx.db, zone.id).map(outputOf)))
    addServer(ctx, account, zone, addressRecord(relative(server, zone.name), ip))
}

function addServer(ctx: Context, account: AccountName, zone: ZoneRow, record: ZoneRecord): void {
  const there = recordsOf(ctx.db, zone.id).map(outputOf)
  if (isTaken(there, record) || there.length >= maxRecords) return
  const row = rowOf(ctx, zone, record, true)
  addRecord(ctx, row)
  emit(ctx, account, 'created', zone, row)
}

/** The managed records of a name, unless others point to it. */
export function managedAt(ctx: Pick<Context, 'db'>, zone: ZoneRow, name: string): RecordRow[] {
  const there = recordsOf(ctx.db, zone.id)
  const gone = there.filter((row) => row.managed && row.name === name && isAddress(row))
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

/** A managed record with the account's new address; undefined if it has no address. */
function movedTo(row: RecordRow, ip: string): ZoneRecord | undefined {
  if (isAddress(row)) return { ...outputOf(row), ...addressRecord(row.name, ip) }
  return row.type === 'TXT' && row.value.startsWith('v=spf1') ? { ...outputOf(row), value: spf(ip) } : undefined
}

/** Updates a zone's managed records to the account's new address, one by one. */
export function followIp(ctx: Context, account: AccountName, zone: ZoneRow, ip: string): void {
  const there = recordsOf(ctx.db, zone.id)
  const moves = there.flatMap((row) => {
    const record = row.managed ? movedTo(row, ip) : undefined
    return record && record.value !== row.value ? [{ row, record }] : []
  })
  if (moves.length === 0) return
  raiseSerial(ctx, zone, account.owner_id)
  const own = there.filter(({ managed }) => !managed).map(outputOf)
  for (const { row, record } of moves) follow(ctx, account, zone, row, { record, own })
}

interface Move {
  readonly record: ZoneRecord
  readonly own: readonly ZoneRecord[]
}

/** If the customer's own record is the same or has another TTL, the managed one is dropped. */
function follow(ctx: Context, account: AccountName, zone: ZoneRow, row: RecordRow, { record, own }: Move): void {
  if (
    own.some(
      (other) =>
        other.name === record.name && other.type === record.type && record.type !== 'TXT' && row.type !== record.type,
    )
  ) {
    removeRecord(ctx, row.id)
    return emit(ctx, account, 'deleted', zone, row)
  }
  const values = { ...columnsOf(record), updated_at: ctx.now }
  setRecord(ctx, row.id, values)
  emit(ctx, account, 'updated', zone, { ...row, ...values })
}
