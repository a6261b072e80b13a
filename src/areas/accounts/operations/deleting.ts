import type { ObjectStatus } from '../../../contract/common.ts'
import { Problem } from '../../../contract/problem.ts'
import { unfinishedJob } from '../../../runtime/jobs/queue.ts'
import type { AccountName, Context } from '../../../runtime/operations/context.ts'

/** 409 `busy` for an object being deleted. */
export function refuseDeleting(name: string, { status }: { readonly status: ObjectStatus }): void {
  if (status === 'deleting') throw new Problem('busy', `${name} is being deleted.`)
}

/** Returns the unfinished deletion job, or enqueues one if there is none or the last one failed. */
export const deletionJob = (ctx: Context, account: AccountName, kind: string, object_id: string): string =>
  unfinishedJob(ctx.runtime, account.id, kind, object_id)?.id ?? ctx.enqueue({ kind, account, object_id })
