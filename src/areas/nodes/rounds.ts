import type { Engine } from '../../runtime/areas/engine.ts'
import { every } from '../../runtime/clock/interval.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { allNodes } from './store.ts'

interface NodeRounds {
  readonly ms: number
  /** What the log says if a round failed. */
  readonly failure: string
  readonly run: (node: string, signal: AbortSignal) => Promise<void>
}

/** Repeats work for each node by itself: one that is slow or never answers holds up no other, and gets no second round. */
export function onEachNode(runtime: Runtime, { ms, failure, run }: NodeRounds): Engine {
  const rounds = new Map<string, Promise<void>>()
  const begin = (node: string, signal: AbortSignal): void => {
    const round = run(node, signal)
      .catch((error: unknown) => runtime.log.error({ err: error, node }, failure))
      .finally(() => rounds.delete(node))
    rounds.set(node, round)
  }
  const stop = every(runtime, ms, failure, async (signal) => {
    for (const { name } of allNodes(runtime.store.db)) if (!rounds.has(name)) begin(name, signal)
  })
  return {
    async stop() {
      await stop()
      await Promise.all(rounds.values())
    },
  }
}
