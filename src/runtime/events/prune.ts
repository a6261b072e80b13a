import { and, inArray, isNotNull, lt, lte, sql } from 'drizzle-orm'
import { day, hour } from '../../shared/time.ts'
import { every } from '../clock/interval.ts'
import type { Runtime } from '../runtime.ts'
import { getSetting, retentionDays, setSetting } from '../settings/settings.ts'
import { audit, events, idempotency, jobs } from '../tables.ts'

/** Events are kept for 30 days (contract: Limits). */
export const EVENT_RETENTION_MS = 30 * day
const step = 500

/** Deletes old rows in small steps, every hour until stopped. */
export const startPruning = (runtime: Runtime): (() => Promise<void>) =>
  every(runtime, hour, 'old rows could not be pruned', (signal) => prune(runtime, signal))

/** One pass: events after 30 days, idempotency keys after a day, jobs and audit rows as set. */
export async function prune(runtime: Runtime, signal?: AbortSignal): Promise<void> {
  for (const pruneStep of [pruneEvents, pruneKeys, pruneJobs, pruneAudit]) {
    while (!signal?.aborted && (await runtime.store.change(() => pruneStep(runtime))) === step);
  }
}

/** Reads only the oldest: events are in order of time, so the scan stops at the first recent one. */
function pruneEvents(runtime: Runtime): number {
  const { db } = runtime.store
  const oldest = db
    .select({ seq: events.seq, at: events.created_at })
    .from(events)
    .orderBy(events.seq)
    .limit(step)
    .all()
  const old = oldest.filter(({ at }) => at < runtime.clock.now() - EVENT_RETENTION_MS)
  const highest = old.at(-1)?.seq
  if (highest === undefined) return 0
  for (const pruneTheirs of runtime.ports.onPrune) if (pruneTheirs(runtime, highest, step) > 0) return step
  // A restore may have set it beyond what is pruned.
  setSetting(db, 'pruned_seq', Math.max(highest, getSetting(db, 'pruned_seq') ?? 0))
  return db.delete(events).where(lte(events.seq, highest)).run().changes
}

function pruneKeys(runtime: Runtime): number {
  const old = sql`(SELECT principal_id, operation, key FROM idempotency WHERE created_at < ${runtime.clock.now() - day} LIMIT ${step})`
  return runtime.store.db.delete(idempotency).where(sql`(principal_id, operation, key) IN ${old}`).run().changes
}

/** Their logs go with them. */
function pruneJobs({ store, clock }: Runtime): number {
  const { db } = store
  const before = clock.now() - retentionDays(db, 'job_days') * day
  const ended = and(isNotNull(jobs.finished_at), lt(jobs.finished_at, before))
  const old = db.select({ id: jobs.id }).from(jobs).where(ended).orderBy(jobs.finished_at).limit(step)
  return db.delete(jobs).where(inArray(jobs.id, old)).run().changes
}

/** Reads only the oldest, as with events. */
function pruneAudit({ store, clock }: Runtime): number {
  const { db } = store
  const before = clock.now() - retentionDays(db, 'audit_days') * day
  const oldest = db.select({ id: audit.id, at: audit.at }).from(audit).orderBy(audit.id).limit(step).all()
  const old = oldest.filter(({ at }) => at < before).map(({ id }) => id)
  if (old.length === 0) return 0
  setSetting(db, 'audit_kept_from', before)
  return db.delete(audit).where(inArray(audit.id, old)).run().changes
}
