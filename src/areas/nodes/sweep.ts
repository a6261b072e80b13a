import type { NewJob } from '../../runtime/operations/context.ts'
import { localNode } from '../../shared/node-name.ts'
import type { NodeRow } from './tables.ts'

export const sweepKind = 'host.apply'

/** Applies all accounts of a node. One job per node: a node that is away blocks no other. */
export const sweepOf = ({ id, name }: Pick<NodeRow, 'id' | 'name'>): NewJob =>
  name === localNode ? { kind: sweepKind } : { kind: sweepKind, node: name, object_id: id }
