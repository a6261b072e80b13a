import { Problem } from '../../contract/problem.ts'
import { unfinishedJob } from '../../runtime/jobs/queue.ts'
import type { AccountName, Context } from '../../runtime/operations/context.ts'
import type { Scope } from '../accounts/jobs/apply.ts'

export const scope: Scope = { areas: ['mail'] }

/** 409 `busy` for an object being deleted. */
export function refuseBeingDeleted(what: string, { status }: { readonly status: string }): void {
  if (status === 'deleting') throw new Problem('busy', `${what} is being deleted.`)
}

/** Enqueues a job of the account's mail and returns its id. */
export const carry = (ctx: Context, account: AccountName, kind: string, object_id: string): string =>
  ctx.enqueue({ kind, account, object_id, areas: ['mail'] })

/** Enqueues the deletion, or returns the unfinished deletion job. */
export function carryDelete(ctx: Context, account: AccountName, kind: string, object_id: string): string {
  const running = unfinishedJob(ctx.runtime, account.id, kind, object_id)
  return running ? running.id : carry(ctx, account, kind, object_id)
}
