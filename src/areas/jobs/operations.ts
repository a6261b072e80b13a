import type * as declared from '../../contract/jobs.ts'
import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/context.ts'
import { cancel, refuseUnretryable, retry } from '../../runtime/queue.ts'
import type { Handler } from '../../runtime/run.ts'
import type { JobRow } from '../../runtime/tables.ts'
import { refuseTerminating } from '../accounts/change.ts'
import { accountById, findAccount } from '../accounts/store.ts'
import { findJob, listJobs as list, logOf, toJob } from './store.ts'

const show = (ctx: Context, job: JobRow, after?: number) => ({ job: toJob(job), log: logOf(ctx, job.id, after) })

const listJobs: Handler<typeof declared.listJobs> = { handle: (ctx, { query }) => list(ctx, query) }

const getJob: Handler<typeof declared.getJob> = {
  handle: (ctx, { params, query }) => show(ctx, findJob(ctx, params.id), query.log_after),
}

function cancelled(ctx: Context, job: JobRow) {
  cancel(ctx.runtime, job)
  note(ctx, job)
  return show(ctx, findJob(ctx, job.id))
}

function retried(ctx: Context, job: JobRow) {
  refuseUnretryable(ctx.runtime, job)
  refuseWithoutObject(ctx, job)
  const id = retry(ctx.runtime, job, ctx.actor, ctx.requestId)
  note(ctx, job)
  return show(ctx, findJob(ctx, id))
}

function refuseWithoutObject(ctx: Context, job: JobRow): void {
  const account = job.account_id === null ? undefined : accountById(ctx.db, job.account_id)
  const exists = ctx.runtime.kinds.get(job.kind)?.exists?.(job) ?? account !== undefined
  if (!exists) throw new Problem('not-retryable', 'What this job worked on is no longer there.')
  if (account) refuseTerminating(account)
}

const note = (ctx: Context, job: JobRow): void =>
  ctx.note({
    object_id: job.id,
    ...(job.account_id ? { account: { id: job.account_id, owner_id: job.owner_id } } : {}),
  })

const cancelJob: Handler<typeof declared.cancelJob> = {
  handle: (ctx, { params }) => cancelled(ctx, findJob(ctx, params.id)),
}

const retryJob: Handler<typeof declared.retryJob> = {
  handle: (ctx, { params }) => retried(ctx, findJob(ctx, params.id)),
}

const listJobsForAccount: Handler<typeof declared.listJobsForAccount> = {
  handle: (ctx, { params, query }) => list(ctx, { ...query, account_id: findAccount(ctx, params.id).id }),
}

const getJobForAccount: Handler<typeof declared.getJobForAccount> = {
  handle: (ctx, { params, query }) => show(ctx, findJobBelow(ctx, params), query.log_after),
}

const cancelJobForAccount: Handler<typeof declared.cancelJobForAccount> = {
  handle: (ctx, { params }) => cancelled(ctx, findJobBelow(ctx, params)),
}

const retryJobForAccount: Handler<typeof declared.retryJobForAccount> = {
  handle: (ctx, { params }) => retried(ctx, findJobBelow(ctx, params)),
}

const findJobBelow = (ctx: Context, { id, jid }: { id: string; jid: string }): JobRow =>
  findJob(ctx, jid, findAccount(ctx, id).id)

export const jobOperations = {
  listJobs,
  getJob,
  cancelJob,
  retryJob,
  listJobsForAccount,
  getJobForAccount,
  cancelJobForAccount,
  retryJobForAccount,
}
