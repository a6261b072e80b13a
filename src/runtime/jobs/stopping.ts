import { once } from 'node:events'
import { and, eq, inArray } from 'drizzle-orm'
import type { Runtime } from '../runtime.ts'
import { jobs } from '../tables.ts'

/** Resolves once none of the account's jobs that were asked to stop is running. */
export async function untilStopped(runtime: Runtime, accountId: string, signal: AbortSignal): Promise<void> {
  while (isAnyStopping(runtime, accountId)) await once(runtime.signals, 'ended', { signal })
}

const isAnyStopping = ({ store }: Runtime, accountId: string): boolean =>
  store.db
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(eq(jobs.account_id, accountId), eq(jobs.cancel_requested, true), inArray(jobs.status, ['leased', 'running'])),
    )
    .get() !== undefined
