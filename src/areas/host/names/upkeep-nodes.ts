import { every } from '../../../runtime/clock/interval.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { localNode } from '../../../shared/node-name.ts'
import { hour, minute } from '../../../shared/time.ts'
import { allOwn, dropFormerCertificates, type Own, ownOfLive } from './own.ts'
import { reapply } from './reapply.ts'

/** What was last sent to each node, and when: failures are retried as rarely as the server's own. */
type Tried = Map<string, { readonly digest: string; readonly at: number }>

const failure = 'a node could not be told of its own names'

/** Keeps each node's names up to date: when it connects, and when they change. */
export function renewNodeCertificates(runtime: Runtime): () => Promise<void> {
  const tried: Tried = new Map()
  const stops = [
    every(runtime, minute, failure, async () => {
      for (const own of allOwn(runtime)) await reapplyNode(own, tried)
    }),
    every(runtime, hour, 'certificates of former nodes could not be removed', async () =>
      dropFormerCertificates(runtime),
    ),
    onLinked(runtime, async (node) => {
      const own = ownOfLive(runtime, node)
      if (own) await reapplyNode(own, tried)
    }),
  ]
  return async () => void (await Promise.all(stops.map((stop) => stop())))
}

async function reapplyNode(own: Own, tried: Tried): Promise<void> {
  if (own.node === localNode) return
  const now = own.runtime.clock.now()
  const { digest, at = now } = tried.get(own.node) ?? {}
  const error = await reapply(own, now < at + hour ? digest : undefined)
  if (error !== undefined) tried.set(own.node, { digest: error, at: now })
}

/** Runs `work` for each node that connects, one at a time, until the returned function is called. Logs failures. */
function onLinked({ signals, log }: Runtime, work: (node: string) => Promise<void>): () => Promise<void> {
  let current: Promise<void> = Promise.resolve()
  const hear = (node: string): void => {
    current = current.then(() => work(node)).catch((error: unknown) => log.error({ err: error, node }, failure))
  }
  signals.on('nodeLinked', hear)
  return async () => {
    signals.off('nodeLinked', hear)
    await current
  }
}
