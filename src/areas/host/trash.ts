import { and, eq, inArray } from 'drizzle-orm'
import type * as declared from '../../contract/host-trash.ts'
import type { HostClient } from '../../host/contract/client.ts'
import type { LinkedHost } from '../../host/nodes/fleet/fleet.ts'
import type { Engine } from '../../runtime/areas/engine.ts'
import { every } from '../../runtime/clock/interval.ts'
import { BULK_SILENCE_LIMIT_MS, type JobKind } from '../../runtime/jobs/job-kind.ts'
import { enqueue, unfinished } from '../../runtime/jobs/queue.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { HostHandler } from '../../runtime/operations/run.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { systemActor } from '../../runtime/settings/system.ts'
import { jobs } from '../../runtime/tables.ts'
import { day, hour } from '../../shared/time.ts'
import type { Db } from '../../store/open.ts'
import { refuseUnknownNode } from '../nodes/filter.ts'
import { hostsOf } from './host.ts'
import { answerOf, unansweredBy } from './unreachable-nodes.ts'
import { nodeIn } from './view.ts'

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    trash_days: number
  }
}

export const DEFAULT_TRASH_DAYS = 30
const kind = 'host.empty_trash'

/** Trash deleted before this time is removed permanently. */
export const trashStoredFrom = ({ store, clock }: Runtime): number =>
  clock.now() - (getSetting(store.db, 'trash_days') ?? DEFAULT_TRASH_DAYS) * day

export const listHostTrash: HostHandler<typeof declared.listHostTrash> = {
  async act(ctx, { query }, signal) {
    refuseUnknownNode(ctx, query.node)
    const answers = await Promise.all(hostsOf(ctx.runtime, query.node).map((linked) => trashOn(ctx, linked, signal)))
    if (query.node !== undefined && answers[0]?.error) throw answers[0].error
    const items = answers.flatMap(({ answer = [] }) => answer).sort((one, other) => one.deleted_at - other.deleted_at)
    const unreachable = query.node === undefined ? unansweredBy(ctx.runtime, answers) : []
    return { items, ...(unreachable.length > 0 && { unreachable }) }
  },
}

/** A node's trash. */
const trashOn = ({ runtime }: Context, [node, host]: LinkedHost, signal: AbortSignal) =>
  answerOf(runtime, { node, signal }, async (ending) => {
    const { items } = await host.hostTrash({ measured: true }, { signal: ending })
    return items.map(({ id, path, size, deletedAt }) => ({
      ...{ id, path, ...nodeIn(node), size, deleted_at: deletedAt },
    }))
  })

/** Removes expired trash: slowly, and beside other jobs. */
export const trashJob = (runtime: Runtime, client: HostClient): JobKind => ({
  kind,
  silenceLimitMs: BULK_SILENCE_LIMIT_MS,
  cancellable: true,
  exists: () => true,
  async run(job) {
    const progress = (line: string, done: number): void => {
      job.log(line)
      job.progress(done * 100)
    }
    const { removed } = await client.emptyHostTrash(
      { before: trashStoredFrom(runtime) },
      { signal: job.signal, progress },
    )
    job.log(`${removed} items are gone for good`)
    return undefined
  },
})

/** Starts that job when there is expired trash. */
export function pruneTrash(runtime: Runtime, client: HostClient): Engine {
  const { store } = runtime
  const stop = every(runtime, 6 * hour, 'old trash of the host could not be removed', async (signal) => {
    const { items } = await client.hostTrash({ measured: false }, { signal })
    const [oldest] = items
    if (!oldest || oldest.deletedAt >= trashStoredFrom(runtime) || isInProgress(store.db)) return
    const actor = systemActor(store.db)
    await store.change(() => void enqueue(runtime, { kind, lane: 'trash:host' }, actor, runtime.id()))
  })
  return { stop }
}

const isInProgress = (db: Db): boolean =>
  db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.kind, kind), inArray(jobs.status, [...unfinished])))
    .get() !== undefined
