import { and, eq, inArray } from 'drizzle-orm'
import type { NewJob } from '../../../runtime/context.ts'
import type { Engine } from '../../../runtime/engine.ts'
import { enqueue, unfinished } from '../../../runtime/queue.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { systemActor } from '../../../runtime/system.ts'
import { jobs } from '../../../runtime/tables.ts'
import { every } from '../../../runtime/tick.ts'
import { minute } from '../../../shared/time.ts'
import { isBehind, type Own } from './apply.ts'
import { namesDue } from './due.ts'

export const lane = 'server:names'

/** Has the host told of the server's own names, and has a certificate issued for those that resolve here. */
export async function tendNames(own: Own): Promise<Engine> {
  const { runtime } = own
  await tell(own)
  const stop = every(runtime, minute, "the server's own names could not be looked after", async () => {
    const names = isUnderWay(runtime) ? [] : await namesDue(own)
    if (names.length > 0) await queue(runtime, { kind: 'server.certificate', payload: { names: names.join() } })
    else await tell(own)
  })
  return { stop }
}

/** When the server starts, and when what is shown has become another. */
async function tell(own: Own): Promise<void> {
  const { runtime, client } = own
  if (client.kind !== 'debian' || isUnderWay(runtime) || !(await isBehind(own))) return
  await queue(runtime, { kind: 'server.apply' })
}

const queue = (runtime: Runtime, job: NewJob): Promise<void> =>
  runtime.store.change(() => {
    if (!isUnderWay(runtime)) enqueue(runtime, { ...job, lane }, systemActor(runtime.store.db), runtime.id())
  })

const isUnderWay = ({ store }: Runtime): boolean =>
  store.db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.lane, lane), inArray(jobs.status, [...unfinished])))
    .get() !== undefined
