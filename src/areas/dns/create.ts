import type * as declared from '../../contract/dns.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type { AccountName, Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { refuseBeingDeleted } from '../domains/busy.ts'
import { domainById } from '../domains/store.ts'
import type { DomainRow } from '../domains/tables.ts'
import { templateFor } from './default-records.ts'
import { addManaged, carry, serversFor } from './save-zone.ts'
import { nextSerial, previousSerial } from './serial.ts'
import { addZone, toZone, zoneOfDomain } from './store.ts'
import type { ZoneRow } from './tables.ts'

const times = { ttl: 3600, refresh: 3600, retry: 900, expire: 1_209_600, minimum: 300 }
const unsigned = { dnskey: null, key_tag: null, private_key: null, key_created_at: null }

/** Creates a domain's zone with the template's records. */
export function makeZone(ctx: Context, { id: domain_id, account_id, name }: DomainRow, owner: string): ZoneRow {
  const zone: ZoneRow = {
    id: ctx.id(),
    account_id,
    domain_id,
    name,
    serial: nextSerial(previousSerial(ctx.db, name), ctx.now),
    catalog: null,
    discovery: true,
    applied_serial: null,
    ...times,
    nameservers: serversFor(ctx, owner),
    ...unsigned,
    created_at: ctx.now,
    updated_at: ctx.now,
  }
  addZone(ctx, zone)
  addManaged(ctx, zone, templateFor(ctx, zone))
  return zone
}

export function emitZoneEvent(
  ctx: Context,
  account: AccountName,
  change: 'created' | 'deleted' | 'reset',
  zone: ZoneRow,
): void {
  ctx.emit({ type: `dns.zone.${change}`, account, object_id: zone.id, details: { name: zone.name } })
}

export const createDnsZone: Handler<typeof declared.createDnsZone> = {
  handle(ctx, { body }) {
    const { account } = ctx.found
    const domain = domainById(ctx.db, body.domain_id)
    if (domain?.account_id !== account.id) throw invalid('domain_id', 'names no domain of the account')
    if (domain.kind === 'sub') throw invalid('domain_id', 'is a subdomain: its records are in the zone above it')
    refuseBeingDeleted(domain)
    if (zoneOfDomain(ctx.db, domain.id))
      throw new Problem('exists', `${domain.name} has a zone already.`, { domain_id: 'has a zone already' })
    const zone = makeZone(ctx, domain, account.owner_id)
    emitZoneEvent(ctx, account, 'created', zone)
    ctx.note({ account, object_id: zone.id, after: { name: zone.name } })
    return { zone: toZone(ctx, zone), job_id: carry(ctx, account, zone, 'create') }
  },
}
