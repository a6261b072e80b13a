import type * as declared from '../../contract/jobs.ts'
import { Problem } from '../../contract/problem.ts'
import { cancel, refuseUnretryable, retry } from '../../runtime/jobs/queue.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import type { JobRow } from '../../runtime/tables.ts'
import { accountById } from '../accounts/store.ts'
import { refuseUnknownNode } from '../nodes/filter.ts'
import { findJob, listJobs as list, logOf, toJob } from './store.ts'

function show(ctx: Context, job: JobRow, after?: number) {
  const secrets = ctx.runtime.kinds.get(job.kind)?.secrets?.(job) ?? []
  return { job: toJob(ctx, job), log: logOf(ctx, job.id, secrets, after) }
}

const listJobs: Handler<typeof declared.listJobs> = {
  handle(ctx, { query }) {
    refuseUnknownNode(ctx, query.node)
    return list(ctx, query)
  },
}

const getJob: Handler<typeof declared.getJob> = {
  handle: (ctx, { query }) => show(ctx, ctx.found.job, query.log_after),
}

function cancelled(ctx: Context, job: JobRow) {
  cancel(ctx.runtime, job)
  note(ctx, job)
  return show(ctx, findJob(ctx, job.id))
}

function retried(ctx: Context, job: JobRow) {
  refuseUnretryable(ctx.runtime, job)
  const id = retry(ctx.runtime, { ...job, ...namesNow(ctx, job) }, ctx.actor, ctx.requestId)
  note(ctx, job)
  return show(ctx, findJob(ctx, id))
}

/** The current names of the job's account. 409 if the job's object is gone or being deleted. */
function namesNow(ctx: Context, job: JobRow): Partial<Pick<JobRow, 'username' | 'domain'>> {
  const account = job.account_id === null ? undefined : accountById(ctx.db, job.account_id)
  const exists = ctx.runtime.kinds.get(job.kind)?.exists?.(job) ?? account !== undefined
  if (!exists) throw new Problem('not-retryable', 'What this job worked on no longer exists.')
  if (account?.terminating) throw new Problem('busy', `${account.username} is being terminated.`)
  return account ? { username: account.username, domain: account.main_domain } : {}
}

const note = (ctx: Context, job: JobRow): void =>
  ctx.note({
    object_id: job.id,
    ...(job.account_id
      ? { account: { id: job.account_id, owner_id: job.owner_id, username: job.username ?? undefined } }
      : {}),
  })

const cancelJob: Handler<typeof declared.cancelJob> = {
  handle: (ctx) => cancelled(ctx, ctx.found.job),
}

const retryJob: Handler<typeof declared.retryJob> = {
  handle: (ctx) => retried(ctx, ctx.found.job),
}

const listJobsForAccount: Handler<typeof declared.listJobsForAccount> = {
  handle: (ctx, { query }) => list(ctx, { ...query, account_id: ctx.found.account.id }),
}

const getJobForAccount: Handler<typeof declared.getJobForAccount> = {
  handle: (ctx, { query }) => show(ctx, ctx.found.job, query.log_after),
}

const cancelJobForAccount: Handler<typeof declared.cancelJobForAccount> = {
  handle: (ctx) => cancelled(ctx, ctx.found.job),
}

const retryJobForAccount: Handler<typeof declared.retryJobForAccount> = {
  handle: (ctx) => retried(ctx, ctx.found.job),
}

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
