import type * as declared from '../../contract/jobs.ts'
import type { Context } from '../../runtime/context.ts'
import { cancel } from '../../runtime/queue.ts'
import type { Handler } from '../../runtime/run.ts'
import type { JobRow } from '../../runtime/tables.ts'
import { findAccount } from '../accounts/store.ts'
import { findJob, listJobs as list, logOf, toJob } from './store.ts'

const show = (ctx: Context, job: JobRow, after?: number) => ({ job: toJob(job), log: logOf(ctx, job.id, after) })

const listJobs: Handler<typeof declared.listJobs> = { handle: (ctx, { query }) => list(ctx, query) }

const getJob: Handler<typeof declared.getJob> = {
  handle: (ctx, { params, query }) => show(ctx, findJob(ctx, params.id), query.log_after),
}

const cancelJob: Handler<typeof declared.cancelJob> = {
  handle(ctx, { params }) {
    const job = findJob(ctx, params.id)
    cancel(ctx.runtime, job)
    ctx.note({
      object_id: job.id,
      ...(job.account_id ? { account: { id: job.account_id, owner_id: job.owner_id } } : {}),
    })
    return show(ctx, findJob(ctx, params.id))
  },
}

const listJobsForAccount: Handler<typeof declared.listJobsForAccount> = {
  handle: (ctx, { params, query }) => list(ctx, { ...query, account_id: findAccount(ctx, params.id).id }),
}

const getJobForAccount: Handler<typeof declared.getJobForAccount> = {
  handle: (ctx, { params, query }) =>
    show(ctx, findJob(ctx, params.jid, findAccount(ctx, params.id).id), query.log_after),
}

export const jobOperations = { listJobs, getJob, cancelJob, listJobsForAccount, getJobForAccount }
