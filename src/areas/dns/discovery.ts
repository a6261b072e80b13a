import { asc, eq } from 'drizzle-orm'
import type { Engine } from '../../runtime/areas/engine.ts'
import { every } from '../../runtime/clock/interval.ts'
import { recordEvent } from '../../runtime/events/emit.ts'
import { enqueue } from '../../runtime/jobs/queue.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { systemActor } from '../../runtime/settings/system.ts'
import { minute } from '../../shared/time.ts'
import type { ZoneRecord } from '../../shared/zone/record.ts'
import { accountById, addressesOfAccount, nameOf } from '../accounts/store.ts'
import { addFree } from './managed.ts'
import { setZone } from './store.ts'
import { zones } from './tables.ts'
import { addressRecords, discoveryNames, discoveryService } from './template.ts'

/** Zones per minute. */
const pace = 20

type Zone = typeof zones.$inferSelect

const withoutDiscovery = ({ store }: Runtime): Zone[] =>
  store.db.select().from(zones).where(eq(zones.discovery, false)).orderBy(asc(zones.id)).limit(pace).all()

const recordsFor = (zone: Zone, addresses: readonly string[]): ZoneRecord[][] => [
  ...discoveryNames.map((name) => addressRecords(name, addresses)),
  [discoveryService({ zone: zone.name })],
]

/** Adds what the template did not have when the zone was created, where its owner has nothing else. */
function add(runtime: Runtime, zone: Zone): void {
  const { store, clock } = runtime
  const { db } = store
  setZone({ store }, zone.id, { discovery: true })
  const account = accountById(db, zone.account_id)!
  if (account.terminating) return
  const actor = systemActor(db)
  const requestId = runtime.id()
  const ctx = {
    ...{ runtime, store, db, now: clock.now(), id: () => runtime.id() },
    emit: (event: Parameters<typeof recordEvent>[1]) => recordEvent(runtime, event, actor, actor.via, requestId).id,
  }
  if (!addFree(ctx, nameOf(account), zone, recordsFor(zone, addressesOfAccount(account)))) return
  enqueue(
    runtime,
    { kind: 'dns.zone.update', account: nameOf(account), object_id: zone.id, areas: ['dns'] },
    actor,
    requestId,
  )
}

/** Gives zones of earlier versions the records by which mail programs find their settings, once. */
export function beginDiscovery(runtime: Runtime): Engine {
  const stop = every(runtime, minute, 'records could not be added to zones', async () => {
    if (withoutDiscovery(runtime).length === 0) return
    await runtime.store.change(() => {
      for (const zone of withoutDiscovery(runtime)) add(runtime, zone)
    })
  })
  return { stop }
}
