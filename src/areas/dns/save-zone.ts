import { Problem } from '../../contract/problem.ts'
import type { HostArea } from '../../host/contract/driver.ts'
import type { AccountName, Context } from '../../runtime/operations/context.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'
import { partsOf } from '../accounts/objects/part.ts'
import { zoneParts } from './part.ts'
import { nextSerial } from './serial.ts'
import { addRecord, columnsOf, outputOf, recordsOf, setZone, zoneById } from './store.ts'
import type { RecordRow, ZoneRow } from './tables.ts'
import { serversOf } from './template.ts'
import { ownServers, unaddressed } from './validate-zone.ts'

/** The current name servers for an owner's zones. */
export const serversFor = ({ runtime, db }: Pick<Context, 'runtime' | 'db'>, owner: string): readonly string[] =>
  serversOf(
    partsOf(runtime).flatMap(({ nameservers }) => nameservers?.(db, owner) ?? []),
    runtime.hostname.toLowerCase(),
  )

/** 409 `serial-mismatch` if the caller has seen another state of the zone. */
export function refuseOtherSerial({ serial }: ZoneRow, seen: number | undefined): void {
  if (seen === undefined || seen === serial) return
  throw new Problem('serial-mismatch', `The zone has changed: its serial is ${serial} now.`, {
    serial: `is ${serial} now`,
  })
}

/** The owner's name servers, or the zone's current ones until each in-zone one has its address there. */
function serversReady(ctx: Pick<Context, 'runtime' | 'db'>, zone: ZoneRow, owner: string): readonly string[] {
  const nameservers = serversFor(ctx, owner)
  if (ownServers({ name: zone.name, nameservers }).length === 0) return nameservers
  const lacking = unaddressed({ name: zone.name, nameservers }, recordsOf(ctx.db, zone.id).map(outputOf))
  return lacking.length === 0 ? nameservers : zone.nameservers
}

/** Raises the zone's serial; adopts the owner's name servers, too. */
export function raiseSerial(
  ctx: Pick<Context, 'store' | 'db' | 'runtime' | 'now'>,
  zone: ZoneRow,
  owner: string,
  values: Partial<ZoneRow> = {},
): ZoneRow {
  const serial = nextSerial(zone.serial, ctx.now)
  setZone(ctx, zone.id, { serial, nameservers: serversReady(ctx, zone, owner), updated_at: ctx.now, ...values })
  return zoneById(ctx.db, zone.id)!
}

/** Enqueues the job that applies the zone, and returns its id. */
export const carry = (ctx: Context, account: AccountName, zone: ZoneRow, verb = 'update'): string =>
  ctx.enqueue({ kind: `dns.zone.${verb}`, account, object_id: zone.id, areas: ['dns', ...dependentAreas(ctx, zone)] })

const dependentAreas = (ctx: Context, zone: ZoneRow): HostArea[] =>
  zoneParts(ctx.runtime).flatMap(({ applies }) => applies?.(ctx, zone) ?? [])

export const rowOf = (
  ctx: Pick<Context, 'id' | 'now'>,
  zone: ZoneRow,
  record: ZoneRecord,
  managed: boolean,
): RecordRow => ({
  id: ctx.id(),
  zone_id: zone.id,
  ...columnsOf(record),
  managed,
  created_at: ctx.now,
  updated_at: ctx.now,
})

/** Adds managed records; the zone's own event covers them. */
export function addManaged(ctx: Context, zone: ZoneRow, all: readonly ZoneRecord[]): void {
  for (const record of all) addRecord(ctx, rowOf(ctx, zone, record, true))
}

export function emit(
  ctx: Pick<Context, 'emit'>,
  account: AccountName,
  change: 'created' | 'updated' | 'deleted',
  zone: ZoneRow,
  row: RecordRow,
) {
  const details = { zone: zone.name, name: row.name, type: row.type }
  ctx.emit({ type: `dns.record.${change}`, account, object_id: row.id, details })
}
