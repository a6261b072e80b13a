import { and, eq, lte } from 'drizzle-orm'
import type { Runtime } from '../../../runtime/runtime.ts'
import { day } from '../../../shared/time.ts'
import { addAuthority, inState } from './keys.ts'
import { fleetKeys } from './tables.ts'
import { lifetimes, newAuthority } from './x509.ts'

/** How long before the current authority's expiry to create the next. */
const before = 365 * day
/** Announced for a node certificate's lifetime: every node that need not join again has heard of it. */
const announced = lifetimes.node

/** Advances the authority's rotation by one step; returns whether there was one. */
export async function rotateAuthority(runtime: Runtime): Promise<boolean> {
  const { store, clock } = runtime
  const now = clock.now()
  const [current, next] = [inState(store.db, 'authority', 'current'), inState(store.db, 'authority', 'next')]
  if (!current?.not_after) return false
  if (!next && current.not_after - before <= now) {
    const authority = await newAuthority(now)
    await store.change(() => addAuthority(runtime, authority, 'next'))
    return true
  }
  if (next && next.since + announced <= now) {
    await store.change(() => {
      move(runtime, current.id, 'former', now)
      move(runtime, next.id, 'current', now)
    })
    return true
  }
  return forgetFormer(runtime, now)
}

const move = ({ store }: Runtime, id: string, state: 'former' | 'current', since: number): void =>
  void store.db.update(fleetKeys).set({ state, since }).where(eq(fleetKeys.id, id)).run()

/** By now, everything that the former authority signed has expired. */
async function forgetFormer({ store }: Runtime, now: number): Promise<boolean> {
  const over = and(eq(fleetKeys.state, 'former'), lte(fleetKeys.since, now - announced))
  if (!store.db.select({ id: fleetKeys.id }).from(fleetKeys).where(over).get()) return false
  await store.change(() => store.db.delete(fleetKeys).where(over).run())
  return true
}
