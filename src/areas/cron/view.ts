import type { z } from 'zod'
import type { CronJob } from '../../contract/cron.ts'
import { describeSchedule } from '../../contract/schedule/describe.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import type { FoundAccount } from '../accounts/objects/find-account.ts'
import { runsOf, toBrief } from './runs.ts'
import { next } from './scheduler.ts'
import type { CronJobRow } from './tables.ts'

/** Row to resource (contract: CronJob). */
export function toCronJob(
  { db, now }: Context,
  { suspended_at }: FoundAccount,
  row: CronJobRow,
): z.infer<typeof CronJob> {
  const [last] = runsOf(db, row.id, 1)
  return {
    id: row.id,
    schedule: row.schedule,
    schedule_description: describeSchedule(row.schedule),
    command: row.command,
    mail: row.mail,
    enabled: row.enabled,
    timeout_s: row.timeout_s,
    comment: row.comment,
    ...present({
      next_run_at: row.enabled && suspended_at === null ? next(row.schedule, now) : null,
      last_run: last && toBrief(last),
    }),
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
