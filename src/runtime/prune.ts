import { lte, sql } from 'drizzle-orm'
import type { Runtime } from './runtime.ts'
import { getSetting, setSetting } from './settings.ts'
import { events, idempotency } from './tables.ts'
import { every } from './tick.ts'

const hour = 3_600_000
const day = 24 * hour
/** Events are kept for 30 days (contract: Limits). */
export const eventsKept = 30 * day
const step = 500

/** Takes away what is too old, in small steps, every hour until told to stop. */
export const startPruning = (runtime: Runtime): (() => Promise<void>) =>
  every(runtime, hour, 'old rows could not be pruned', (signal) => prune(runtime, signal))

/** One pass: events after 30 days, idempotency keys after a day. */
export async function prune(runtime: Runtime, signal?: AbortSignal): Promise<void> {
  for (const pruneStep of [pruneEvents, pruneKeys]) {
    while (!signal?.aborted && (await runtime.store.change(() => pruneStep(runtime))) === step);
  }
}

/** Only the oldest are looked at: events stand in order of time, and a scan of the rest would find none. */
function pruneEvents(runtime: Runtime): number {
  const { db } = runtime.store
  const oldest = db
    .select({ seq: events.seq, at: events.created_at })
    .from(events)
    .orderBy(events.seq)
    .limit(step)
    .all()
  const old = oldest.filter(({ at }) => at < runtime.clock.now() - eventsKept)
  const highest = old.at(-1)?.seq
  if (highest === undefined) return 0
  for (const pruneTheirs of runtime.ports.onPrune) if (pruneTheirs(runtime, highest, step) > 0) return step
  // A restore may have set it further than what is pruned.
  setSetting(db, 'pruned_seq', Math.max(highest, getSetting(db, 'pruned_seq') ?? 0))
  return db.delete(events).where(lte(events.seq, highest)).run().changes
}

function pruneKeys(runtime: Runtime): number {
  const old = sql`(SELECT principal_id, operation, key FROM idempotency WHERE created_at < ${runtime.clock.now() - day} LIMIT ${step})`
  return runtime.store.db.delete(idempotency).where(sql`(principal_id, operation, key) IN ${old}`).run().changes
}
