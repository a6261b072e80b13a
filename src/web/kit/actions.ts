import { type OperationId, operations } from '../../contract/index.ts'
import type { Declaration } from '../../contract/operation.ts'
import type { Screen } from './screen.ts'

/** The changes that a page's forms may submit. */
export const actionsOf = ({ acts = {} }: Pick<Screen, 'acts'>): OperationId[] => Object.keys(acts) as OperationId[]

/** Whether a change modifies what the page shows. */
export const changesIt = (op: OperationId): boolean => ['patch', 'put'].includes(operations[op].method)

/** A change's button label. */
export const actionLabel = ({ acts }: Pick<Screen, 'acts'>, op: OperationId): string =>
  acts?.[op]?.label ?? (changesIt(op) ? 'Save' : operations[op].summary)

/** Whether a change asks for confirmation first. */
export const asksFirst = (op: OperationId): boolean => (operations[op] as Declaration).cli?.confirm !== undefined
