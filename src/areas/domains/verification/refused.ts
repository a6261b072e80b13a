import { eq, sql } from 'drizzle-orm'
import type { HostClient } from '../../../host/contract/client.ts'
import type { Engine } from '../../../runtime/areas/engine.ts'
import { every } from '../../../runtime/clock/interval.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { hour } from '../../../shared/time.ts'
import { domains } from '../tables.ts'
import { requestLook } from './store.ts'
import { verifications } from './tables.ts'

/** A sender that tries again after a minute finds the domain looked at. */
const POLL_INTERVAL_MS = 15_000

/** Has unverified domains looked at when mail for them was refused. The directory driver has no mail server. */
export const watchRefused = (runtime: Runtime, host: HostClient): Engine => ({
  stop: every(
    runtime,
    () => (host.kind === 'debian' ? POLL_INTERVAL_MS : hour),
    'refused mail could not be followed',
    (signal) => poll(runtime, host, signal),
  ),
})

const isAnyUnverified = ({ store: { db } }: Runtime): boolean =>
  db
    .select({ id: verifications.domain_id })
    .from(verifications)
    .where(sql`${verifications.verified_by} IS NULL`)
    .limit(1)
    .get() !== undefined

async function poll(runtime: Runtime, host: HostClient, signal: AbortSignal): Promise<void> {
  if (host.kind !== 'debian' || host.status.status === 'unreachable' || !isAnyUnverified(runtime)) return
  try {
    const { items: names } = await host.refusedDomains({}, { signal })
    if (names.length > 0) await runtime.store.change(() => lookAtRefused(runtime, names))
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function lookAtRefused(runtime: Runtime, names: readonly string[]): void {
  const { store, clock } = runtime
  const { db } = store
  for (const name of names) {
    const domain = db.select().from(domains).where(eq(domains.name, name)).get()
    if (domain) requestLook({ store, db, runtime, now: clock.now() }, domain)
  }
}
