import { and, eq, inArray } from 'drizzle-orm'
import type { NewJob } from '../../../runtime/context.ts'
import type { Engine } from '../../../runtime/engine.ts'
import { enqueue, unfinished } from '../../../runtime/queue.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { systemActor } from '../../../runtime/system.ts'
import { jobs } from '../../../runtime/tables.ts'
import { every } from '../../../runtime/tick.ts'
import { localNode } from '../../../shared/node-name.ts'
import { hour, minute } from '../../../shared/time.ts'
import { laneOf } from '../../nodes/lane.ts'
import { isBehind, type Own } from './apply.ts'
import { namesDue } from './due.ts'

export const lane = laneOf(localNode)

/** Has the host told of the server's own names, and has a certificate issued for those that resolve here. */
export async function tendNames(own: Own): Promise<Engine> {
  const { runtime } = own
  await tell(own)
  const stops = [
    every(runtime, minute, "no certificate could be ordered for the server's own names", () => order(own)),
    every(runtime, hour, "the host could not be told of the server's own names", () => tell(own)),
  ]
  return { stop: async () => void (await Promise.all(stops.map((stop) => stop()))) }
}

async function order(own: Own): Promise<void> {
  const { runtime } = own
  const names = isUnderWay(runtime) ? [] : await namesDue(own)
  if (names.length > 0) await queue(runtime, { kind: 'server.certificate', payload: { names: names.join() } })
}

/** When the server starts, and when what is shown has become another by itself. */
async function tell(own: Own): Promise<void> {
  const { runtime, client } = own
  if (client.kind !== 'debian') return
  await runtime.store.change(() => {
    for (const { serverTold } of runtime.areas) serverTold?.(runtime)
  })
  if (isUnderWay(runtime) || !(await isBehind(own))) return
  await queue(runtime, { kind: 'server.apply' })
}

const queue = (runtime: Runtime, job: NewJob): Promise<void> =>
  runtime.store.change(() => {
    if (!isUnderWay(runtime)) enqueue(runtime, { ...job, lane }, systemActor(runtime.store.db), runtime.id())
  })

/** The lane is shared with what else changes this name server, which is under way often and changes no names. */
const kinds = ['server.apply', 'server.certificate']

const isUnderWay = ({ store }: Runtime): boolean =>
  store.db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.lane, lane), inArray(jobs.kind, kinds), inArray(jobs.status, [...unfinished])))
    .get() !== undefined
