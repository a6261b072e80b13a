import type * as declared from '../../contract/cron.ts'
import { Problem } from '../../contract/problem.ts'
import { canonicalSchedule, readSchedule } from '../../contract/schedule/parse.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import type { FoundAccount } from '../accounts/objects/find-account.ts'
import { next } from './scheduler.ts'
import { addCronJob, countCronJobs, cronJobById, removeCronJob, setCronJob } from './store.ts'
import type { CronJobRow } from './tables.ts'
import { toCronJob } from './view.ts'

export const maxJobs = 50

/** The schedule in crontab form. */
function checkedSchedule(text: string): string {
  const schedule = canonicalSchedule(text)
  readSchedule(schedule)
  return schedule
}

export const createCronJob: Handler<typeof declared.createCronJob> = {
  handle(ctx, { body }) {
    const { account } = ctx.found
    const schedule = checkedSchedule(body.schedule)
    if (countCronJobs(ctx.db, account.id) >= maxJobs)
      throw new Problem('too-many', `The account has ${maxJobs} cron jobs, which is the most.`)
    const defaults = { mail: true, enabled: true, timeout_s: 3600, comment: '' }
    const times = { created_at: ctx.now, updated_at: ctx.now }
    const made = { id: ctx.id(), account_id: account.id, ...defaults, ...body, schedule, ...times, applied: false }
    const row = { ...made, failing_since: null, next_run_at: made.enabled ? next(schedule, ctx.now) : null }
    addCronJob(ctx, row)
    ctx.note({ account, object_id: row.id, after: noted(row) })
    return accepted(ctx, row)
  },
}

export const updateCronJob: Handler<typeof declared.updateCronJob> = {
  handle(ctx, { body }) {
    const { account, cronJob } = ctx.found
    const values = { ...cronJob, ...body, ...(body.schedule && { schedule: checkedSchedule(body.schedule) }) }
    const next_run_at = values.enabled ? next(values.schedule, ctx.now) : null
    const row = { ...values, next_run_at, updated_at: ctx.now }
    setCronJob(ctx, row.id, row)
    ctx.note({ account, object_id: row.id, before: noted(cronJob), after: noted(row) })
    return accepted(ctx, cronJobById(ctx.db, row.id)!)
  },
}

export const deleteCronJob: Handler<typeof declared.deleteCronJob> = {
  handle(ctx) {
    const { account, cronJob } = ctx.found
    const answer = accepted(ctx, cronJob)
    removeCronJob(ctx, cronJob.id)
    ctx.afterCommit(() => ctx.runtime.signals.emit('cronEnd', cronJob.id))
    ctx.note({ account, object_id: cronJob.id, before: noted(cronJob) })
    return answer
  },
}

/** Omits the command, which may contain a password. */
const noted = ({ schedule, enabled, comment }: CronJobRow) => ({ schedule, enabled, comment })

function accepted(ctx: Context & { readonly found: { readonly account: FoundAccount } }, row: CronJobRow) {
  const { account } = ctx.found
  const job_id = ctx.enqueue({ kind: 'cron.apply', account })
  ctx.afterCommit(() => ctx.runtime.signals.emit('cronChange'))
  return { cron_job: toCronJob(ctx, account, row), job_id }
}
