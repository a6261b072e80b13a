import type { Runtime } from '../../runtime/runtime.ts'
import { localNode } from '../../shared/node-name.ts'
import type { Db } from '../../store/open.ts'
import { allNodes } from '../nodes/store.ts'
import type { NodeRow } from '../nodes/tables.ts'
import { onNode } from './host.ts'

/** The other nodes, besides the control plane's own, that have a host to ask. */
export const othersIn = (db: Db): NodeRow[] =>
  allNodes(db).filter(({ name, state }) => name !== localNode && state !== 'joining' && state !== 'retired')

export interface Silent {
  readonly node: string
  readonly reason: string
}

/** The unreachable ones, and why. */
export const silentNodes = ({ store, nodes }: Runtime): Silent[] =>
  othersIn(store.db).flatMap(({ name: node }) => {
    const reason = nodes.why(node)
    return reason === undefined ? [] : [{ node, reason }]
  })

/** What a node answered, or why it did not. */
export interface NodeAnswer<Answer> {
  readonly node: string
  readonly answer?: Answer
  readonly error?: Error
}

/** Asks a node. One that fails or is slow blocks no other; a failure of the control plane's own host is thrown. */
export async function answerOf<Answer>(
  runtime: Runtime,
  { node, signal }: { readonly node: string; readonly signal: AbortSignal },
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<NodeAnswer<Answer>> {
  try {
    return { node, answer: await onNode(runtime, { node, signal }, ask) }
  } catch (error) {
    if (node === localNode) throw error
    if (!signal.aborted) runtime.log.warn({ err: error, node }, 'a node did not answer')
    return { node, error: error as Error }
  }
}

/** The nodes that gave no answer, each once, and why. */
export function unansweredBy(runtime: Runtime, answers: readonly NodeAnswer<unknown>[]): Silent[] {
  const silent = silentNodes(runtime)
  const failed = answers.flatMap(({ node, error }) => (error ? [{ node, reason: error.message }] : []))
  return [...silent, ...failed.filter(({ node }) => !silent.some((one) => one.node === node))]
}
