import { eq } from 'drizzle-orm'
import type { Db } from '../../store/open.ts'
import { type Notices, noticeRowsOf } from '../accounts/objects/notice.ts'
import { sentence } from './jobs.ts'
import { runsOf } from './runs.ts'
import { type CronJobRow, cronJobs } from './tables.ts'

const faulty = {
  kind: 'cron-failed',
  id: cronJobs.id,
  account: cronJobs.account_id,
  since: cronJobs.failing_since,
} as const

const failing = noticeRowsOf(faulty, (db) => db.select().from(cronJobs).$dynamic(), eq(cronJobs.enabled, true))

/** Enabled cron jobs whose last runs failed. */
export const failingCronJobs: Notices = ({ db }, scope) =>
  failing(db, scope).map((job) => ({
    kind: faulty.kind,
    severity: 'error',
    object: 'cron_job',
    object_id: job.id,
    name: (job.comment || job.command).slice(0, MAX_NAME_LENGTH),
    detail: lastFailure(db, job),
    since: job.failing_since!,
    operation: 'runCronJob',
    account_id: job.account_id,
  }))

const MAX_NAME_LENGTH = 100

function lastFailure(db: Db, job: CronJobRow): string {
  const run = runsOf(db, job.id).find(({ outcome }) => outcome === 'failed' || outcome === 'timeout')
  return run ? sentence(run, job) : 'The last run failed.'
}
