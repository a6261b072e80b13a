import type { Engine } from '../../../runtime/engine.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { every } from '../../../runtime/tick.ts'
import { localNode } from '../../../shared/node-name.ts'
import { hour, minute } from '../../../shared/time.ts'
import { laneOf } from '../../nodes/lane.ts'
import { namesDue } from './due.ts'
import { allOwn, type Own, ownOfServer } from './own.ts'
import { isUnderWay, queue } from './queue.ts'
import { tell } from './tell.ts'
import { tendNodes } from './tend-nodes.ts'

export const lane = laneOf(localNode)

/** Keeps the names of each machine up to date on its host, with a certificate for those that resolve there. */
export async function tendNames(runtime: Runtime): Promise<Engine> {
  await tellServer(runtime)
  const stops = [
    every(runtime, minute, "no certificate could be ordered for a machine's own names", () => orderAll(runtime)),
    tendNodes(runtime),
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

/** At startup, and when what is served has changed by itself. */
async function tellServer(runtime: Runtime): Promise<void> {
  const own = ownOfServer(runtime)
  if (own.client.kind !== 'debian') return
  await runtime.store.change(() => {
    for (const { serverTold } of runtime.areas) serverTold?.(runtime)
  })
  await tell(own)
}
