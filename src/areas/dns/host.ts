import type { HostParts } from '../../host/contract/driver.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { FullAccount } from '../accounts/store.ts'
import { zoneParts } from './part.ts'
import { keyStateOf } from './signing.ts'
import { outputOf, recordsOf, zonesOf } from './store.ts'
import type { ZoneRow } from './tables.ts'

type Zone = HostParts['dns']['zones'][number]

type Composed = Pick<Runtime, 'areas' | 'store' | 'unseal'>

/** A zone for the host's desired state. */
export function zoneStateOf(runtime: Composed, zone: ZoneRow): Zone {
  const { name, serial, ttl, refresh, retry, expire, minimum, nameservers } = zone
  const records = recordsOf(runtime.store.db, zone.id).map(outputOf)
  const dnssec = keyStateOf(runtime, zone)
  const authority = { name, serial, ttl, refresh, retry, expire, minimum, nameservers }
  const challenges = zoneParts(runtime).flatMap((part) => part.challenges?.(runtime.store.db, zone) ?? [])
  return { ...authority, records, challenges, ...(dnssec ? { dnssec } : {}) }
}

/** The account's zones for the host's desired state. */
export const dnsHost = (runtime: Composed, { id }: Pick<FullAccount, 'id'>): HostParts['dns'] => ({
  zones: zonesOf.all(runtime.store.db, id).map((zone) => zoneStateOf(runtime, zone)),
})
