import type * as declared from '../../contract/dns.ts'
import type { Input } from '../../contract/operation.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { pick } from '../../shared/pick.ts'
import { zoneLines } from '../../shared/zone/text.ts'
import { emitZoneEvent } from './create.ts'
import { templateFor } from './default-records.ts'
import { addServers } from './managed.ts'
import { addManaged, carry, raiseSerial, refuseOtherSerial } from './save-zone.ts'
import { emptyZone, outputOf, recordsOf, removeZone, toZone, zoneById, zonesOf } from './store.ts'
import type { ZoneRow } from './tables.ts'

export const listDnsZones: Handler<typeof declared.listDnsZones> = {
  handle(ctx, { query }) {
    const { items, total } = zonesOf.page(ctx, ctx.found.account.id, query)
    return { items: items.map((row) => toZone(ctx, row)), total }
  },
}

export const getDnsZone: Handler<typeof declared.getDnsZone> = { handle: (ctx) => toZone(ctx, ctx.found.zone) }

type Times = Omit<Input<typeof declared.updateDnsZone>['body'], 'serial'>

function refuseContrary({ refresh, retry, expire }: ZoneRow): void {
  if (retry > refresh) throw invalid('retry', `must be at most refresh, which is ${refresh}`)
  if (expire <= refresh) throw invalid('expire', `must be more than refresh, which is ${refresh}`)
}

export const updateDnsZone: Handler<typeof declared.updateDnsZone> = {
  handle(ctx, { body: { serial, ...times } }) {
    const { account, zone } = ctx.found
    refuseContrary({ ...zone, ...times })
    refuseOtherSerial(zone, serial)
    const changed = (Object.keys(times) as (keyof Times)[]).filter((name) => times[name] !== zone[name])
    if (changed.length > 0) addServers(ctx, account, zone)
    const after = changed.length > 0 ? raiseSerial(ctx, zone, account.owner_id, times) : zone
    ctx.note({ account, object_id: zone.id, before: pick(zone, changed), after: pick(after, changed) })
    return { zone: toZone(ctx, after), job_id: carry(ctx, account, zone) }
  },
}

export const deleteDnsZone: Handler<typeof declared.deleteDnsZone> = {
  handle(ctx, { query }) {
    const { account, zone } = ctx.found
    refuseOtherSerial(zone, query.serial)
    if (zone.dnskey !== null)
      throw new Problem('in-use', 'The zone is signed: remove its DS record at the registrar, then switch DNSSEC off.')
    const view = toZone(ctx, zone)
    removeZone(ctx, zone.id)
    emitZoneEvent(ctx, account, 'deleted', zone)
    ctx.note({ account, object_id: zone.id, before: { name: zone.name } })
    return { zone: view, job_id: carry(ctx, account, zone, 'delete') }
  },
}

export const resetDnsZone: Handler<typeof declared.resetDnsZone> = {
  handle(ctx, { body }) {
    const { account, zone } = ctx.found
    refuseOtherSerial(zone, body.serial)
    emptyZone(ctx, zone.id)
    addManaged(ctx, zone, templateFor(ctx, zone))
    raiseSerial(ctx, zone, account.owner_id)
    emitZoneEvent(ctx, account, 'reset', zone)
    ctx.note({ account, object_id: zone.id })
    return { zone: toZone(ctx, zoneById(ctx.db, zone.id)!), job_id: carry(ctx, account, zone, 'reset') }
  },
}

export const exportDnsZone: Handler<typeof declared.exportDnsZone> = {
  handle({ db, found: { zone } }) {
    const lines = zoneLines(zone, recordsOf(db, zone.id).map(outputOf))
    return { name: zone.name, serial: zone.serial, zone_file: `${lines.join('\n')}\n` }
  },
}
