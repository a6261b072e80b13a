import { operationList, operations } from '../contract/index.ts'
import { type Declaration, isOfAccount, readsOnly } from '../contract/operation.ts'
import { isOutOfReach } from '../contract/reach.ts'
import { didYouMean, similar } from '../shared/similar.ts'
import { ToolFailure } from './failure.ts'

/** The only account that a session reaches. */
interface Reach {
  readonly account?: { readonly username: string } | undefined
}

/** Whether the session can call it at all: with one account, only what is below that account's path. */
export const isReachable = (op: Declaration, { account }: Reach): boolean =>
  !isOutOfReach(op) && (account === undefined || isOfAccount(op))

const all: Readonly<Record<string, Declaration>> = operations

export const reachable = (session: Reach): readonly Declaration[] =>
  operationList.filter((op) => isReachable(op, session))

/** The operation of an id, or a failure that says what to do instead. */
export function operationCalled(id: string, session: Reach): Declaration {
  const op = Object.hasOwn(all, id) ? all[id] : undefined
  if (!op) throw unknownOperation(id, session)
  if (isOutOfReach(op))
    throw new ToolFailure('out-of-reach', `No AI agent can call ${id}.`, 'Ask the person to do it in the panel.')
  if (isReachable(op, session)) return op
  const twin = Object.hasOwn(all, `${id}ForAccount`) ? `${id}ForAccount` : undefined
  const next = twin ? `Use ${twin}.` : 'search_operations finds the operations of the account.'
  throw new ToolFailure('out-of-reach', `${id} reaches beyond the account ${session.account!.username}.`, next)
}

function unknownOperation(id: string, session: Reach): ToolFailure {
  const ids = reachable(session).map((one) => one.id)
  const next = similar(id, ids).length > 0 ? didYouMean(id, ids) : 'search_operations finds operations.'
  return new ToolFailure('not-found', `There is no operation ${JSON.stringify(id.slice(0, 64))}.`, next)
}

/** Whether `read` calls it; `change` calls the others. */
export const isRead = (op: Declaration): boolean => readsOnly(op) && !op.consumes
