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
import { nodeByName } from '../../nodes/store.ts'
import { untoldTo } from './apply.ts'
import { namesDue } from './due.ts'
import { allOwn, type Own, ownOfServer } from './own.ts'

export const lane = laneOf(localNode)

/** Has each host told of the names of its machine, and has a certificate issued for those that resolve there. */
export async function tendNames(runtime: Runtime): Promise<Engine> {
  await tellServer(runtime)
  const tried: Tried = new Map()
  const stops = [
    every(runtime, minute, "no certificate could be ordered for a machine's own names", () => orderAll(runtime)),
    every(runtime, minute, 'a node could not be told of its own names', () => tellNodes(runtime, tried)),
    every(runtime, hour, "the host could not be told of the server's own names", () => tellServer(runtime)),
  ]
  return { stop: async () => void (await Promise.all(stops.map((stop) => stop()))) }
}

async function orderAll(runtime: Runtime): Promise<void> {
  for (const own of allOwn(runtime)) await order(own)
}

async function order(own: Own): Promise<void> {
  const names = isUnderWay(own) ? [] : await namesDue(own)
  if (names.length > 0) await queue(own, { kind: 'server.certificate', payload: { names: names.join() } })
}

/** What each node was last to be told of, and when: one that fails is tried again as seldom as that of the server. */
type Tried = Map<string, { readonly digest: string; readonly at: number }>

async function tellNodes(runtime: Runtime, tried: Tried): Promise<void> {
  const now = runtime.clock.now()
  for (const own of allOwn(runtime)) {
    if (own.node === localNode) continue
    const { digest, at = now } = tried.get(own.node) ?? {}
    const asked = await tell(own, now < at + hour ? digest : undefined)
    if (asked !== undefined) tried.set(own.node, { digest: asked, at: now })
  }
}

/** When the server starts, and when what is shown has become another by itself. */
async function tellServer(runtime: Runtime): Promise<void> {
  const own = ownOfServer(runtime)
  if (own.client.kind !== 'debian') return
  await runtime.store.change(() => {
    for (const { serverTold } of runtime.areas) serverTold?.(runtime)
  })
  await tell(own)
}

/** Answers what it is asked to be told of, unless that was tried just before. */
async function tell(own: Own, tried?: string): Promise<string | undefined> {
  if (own.client.kind !== 'debian' || isUnderWay(own)) return undefined
  const untold = await untoldTo(own)
  if (untold === undefined || untold === tried) return undefined
  await queue(own, { kind: 'server.apply' })
  return untold
}

const queue = (own: Own, job: NewJob): Promise<void> => {
  const { runtime, node } = own
  const { db } = runtime.store
  const placed = node === localNode ? {} : { node, object_id: nodeByName(db, node)!.id }
  return runtime.store.change(() => {
    if (!isUnderWay(own)) enqueue(runtime, { ...job, ...placed, lane: laneOf(node) }, systemActor(db), runtime.id())
  })
}

/** The lane is shared with what else changes this name server, which is under way often and changes no names. */
const kinds = ['server.apply', 'server.certificate']

const isUnderWay = ({ runtime, node }: Own): boolean =>
  runtime.store.db
    .select({ id: jobs.id })
    .from(jobs)
    .where(and(eq(jobs.lane, laneOf(node)), inArray(jobs.kind, kinds), inArray(jobs.status, [...unfinished])))
    .get() !== undefined
