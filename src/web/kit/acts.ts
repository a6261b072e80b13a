import { type OperationId, operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import type { Screen } from './screen.ts'

/** The changes that the forms of a page may post. */
export const actsOf = ({ acts = {} }: Pick<Screen, 'acts'>): OperationId[] => Object.keys(acts) as OperationId[]

/** Whether a change is of what the page shows. */
export const changesIt = (op: OperationId): boolean => ['patch', 'put'].includes(operations[op].method)

/** What the button of a change says. */
export const actLabel = ({ acts }: Pick<Screen, 'acts'>, op: OperationId): string =>
  acts?.[op]?.label ?? (changesIt(op) ? 'Save' : operations[op].summary)

/** Whether a change is told of before it is made. */
export const asksFirst = (op: OperationId): boolean => (operations[op] as Declaration).cli?.confirm !== undefined
