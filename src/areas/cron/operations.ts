import type * as declared from '../../contract/cron.ts'
import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import type { FoundAccount } from '../accounts/objects/find-account.ts'
import { createCronJob, deleteCronJob, updateCronJob } from './change.ts'
import { addRun, runningOf, runsOf, toBrief, toRun } from './runs.ts'
import { cronJobsOf } from './store.ts'
import type { CronJobRow } from './tables.ts'
import { toCronJob } from './view.ts'

const listCronJobs: Handler<typeof declared.listCronJobs> = {
  handle(ctx) {
    const { account } = ctx.found
    return { items: cronJobsOf(ctx.db, account.id).map((row) => toCronJob(ctx, account, row)) }
  },
}

const getCronJob: Handler<typeof declared.getCronJob> = {
  handle: (ctx) => toCronJob(ctx, ctx.found.account, ctx.found.cronJob),
}

const runCronJob: Handler<typeof declared.runCronJob> = {
  handle(ctx) {
    const { account, cronJob } = ctx.found
    refuseRun(ctx, account, cronJob)
    const made = { cron_job_id: cronJob.id, trigger: 'manual', outcome: 'running', started_at: ctx.now } as const
    const run = addRun(ctx.store, { id: ctx.id(), ...made })
    ctx.note({ account, object_id: cronJob.id, after: { run: run.id } })
    const [lane, payload] = [`cron:${cronJob.id}`, { run: run.id }]
    return { run: toRun(run), job_id: ctx.enqueue({ kind: 'cron.run', account, object_id: cronJob.id, lane, payload }) }
  },
}

function refuseRun({ db, runtime }: Context, account: FoundAccount, cronJob: CronJobRow): void {
  if (account.suspended_at !== null) throw new Problem('suspended', `${account.username} is suspended.`)
  if (!runtime.runsTenantCode)
    throw new Problem(
      'not-configured',
      'This server does not run commands of accounts. `panel serve --trust-tenants` allows it.',
    )
  if (runningOf(db, cronJob.id)) throw new Problem('busy', 'The cron job is running.')
}

const listCronRuns: Handler<typeof declared.listCronRuns> = {
  handle: (ctx) => ({ items: runsOf(ctx.db, ctx.found.cronJob.id).map(toBrief) }),
}

const getCronRun: Handler<typeof declared.getCronRun> = { handle: (ctx) => toRun(ctx.found.run) }

export const cronOperations = {
  listCronJobs,
  createCronJob,
  getCronJob,
  updateCronJob,
  deleteCronJob,
  runCronJob,
  listCronRuns,
  getCronRun,
}
