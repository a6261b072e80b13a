import type * as declared from '../../contract/dns.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { dsOf, newZoneKey } from './dnssec.ts'
import { carry, raiseSerial } from './save-zone.ts'
import type { ZoneRow } from './tables.ts'

export const purpose = 'dnssec key'

const viewOf = ({ name, dnskey, key_tag }: ZoneRow) =>
  dnskey === null || key_tag === null
    ? { enabled: false, ds: [] }
    : { enabled: true, dnskey, ds: [dsOf(name, { dnskey, key_tag })] }

export const getDnssec: Handler<typeof declared.getDnssec> = { handle: ({ found }) => viewOf(found.zone) }

function newKey(ctx: Context): Partial<ZoneRow> {
  const { dnskey, key_tag, private_key } = newZoneKey()
  return { dnskey, key_tag, private_key: ctx.runtime.seal(purpose, private_key), key_created_at: ctx.now }
}

export const enableDnssec: Handler<typeof declared.enableDnssec> = {
  handle(ctx) {
    const { account, zone } = ctx.found
    const signed = zone.dnskey === null ? raiseSerial(ctx, zone, account.owner_id, newKey(ctx)) : zone
    ctx.note({ account, object_id: zone.id, after: { dnssec: true } })
    return { dnssec: viewOf(signed), job_id: carry(ctx, account, zone) }
  },
}

const minute = 60_000
const spare = 1_000

/**
 * BIND increments the given serial each time it re-signs, at most once a minute. Whatever replaces the signed zone
 * needs a higher serial, or secondaries ignore it.
 */
export const beyondServed = (zone: ZoneRow, now: number): number =>
  zone.serial + spare + Math.ceil((now - zone.key_created_at!) / minute)

export const unsigned = { dnskey: null, key_tag: null, private_key: null, key_created_at: null }

export const disableDnssec: Handler<typeof declared.disableDnssec> = {
  handle(ctx) {
    const { account, zone } = ctx.found
    const served = () => ({ ...zone, serial: beyondServed(zone, ctx.now) })
    const plain = zone.dnskey === null ? zone : raiseSerial(ctx, served(), account.owner_id, unsigned)
    ctx.note({ account, object_id: zone.id, after: { dnssec: false } })
    return { dnssec: viewOf(plain), job_id: carry(ctx, account, zone) }
  },
}

/** BIND's time format. */
const bindTime = (at: number): string => new Date(at).toISOString().replace(/\D/g, '').slice(0, 14)

/** A zone's key for the host's desired state. */
export function keyStateOf(runtime: Pick<Runtime, 'unseal'>, zone: ZoneRow) {
  const { dnskey, key_tag, private_key, key_created_at } = zone
  if (dnskey === null || key_tag === null || private_key === null) return undefined
  return {
    dnskey,
    keyTag: key_tag,
    privateKey: runtime.unseal(purpose, private_key),
    created: bindTime(key_created_at!),
  }
}
