import { Problem } from '../../contract/problem.ts'
import type { AccountName, Context } from '../../runtime/context.ts'
import { unfinishedJob } from '../../runtime/queue.ts'
import type { Scope } from '../accounts/apply.ts'

export const scope: Scope = { areas: ['mail'] }

/** 409 `busy` for what is on its way out. */
export function refuseBeingDeleted(what: string, { status }: { readonly status: string }): void {
  if (status === 'deleting') throw new Problem('busy', `${what} is being deleted.`)
}

/** Asks for a job of the account's mail, and answers its id. */
export const carry = (ctx: Context, account: AccountName, kind: string, object_id: string): string =>
  ctx.enqueue({ kind, account, object_id, areas: ['mail'] })

/** The job that takes it away, once more where it is on its way already. */
export function carryDelete(ctx: Context, account: AccountName, kind: string, object_id: string): string {
  const running = unfinishedJob(ctx.runtime, account.id, kind, object_id)
  return running ? running.id : carry(ctx, account, kind, object_id)
}
