import { overloaded, Problem } from '../contract/problem.ts'
import { isGone, isUnreachable } from '../runtime/jobs/node-errors.ts'
import { isFull, type Log } from '../runtime/runtime.ts'

/** Turns any error into the problem for the caller; internal details go to the log. */
export function problemOf(error: unknown, log: Log, requestId: string): Problem {
  if (error instanceof Problem) return error
  if (isFull(error)) return new Problem('storage-full', 'The disk is full: nothing was changed.')
  if (isUnreachable(error)) return isGone(error) ? new Problem('given-up', error.message) : overloaded(error.message)
  log.error({ err: error, request_id: requestId }, 'a request failed')
  return new Problem('internal', `Something went wrong on the server; search its log for the request id ${requestId}.`)
}
