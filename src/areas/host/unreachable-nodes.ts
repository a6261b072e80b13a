import type { Runtime } from '../../runtime/runtime.ts'
import { localNode } from '../../shared/node-name.ts'
import type { Db } from '../../store/open.ts'
import { allNodes } from '../nodes/store.ts'
import type { NodeRow } from '../nodes/tables.ts'

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
