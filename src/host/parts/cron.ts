import { fields, listOf, object, patterns, text } from '../contract/fields.ts'
import { part } from './part.ts'
import { nothing, systemDir, systemFile } from './spec.ts'

export interface CronState {
  /** Scheduled jobs. */
  readonly jobs: readonly { readonly id: string; readonly schedule: string }[]
}

const maxJobs = 50
const schedule = /^(?:@[a-z]{5,8}|[A-Za-z0-9*,/-]+(?: [A-Za-z0-9*,/-]+){4})$/

/** The schedules of an account's cron jobs: commands are in no file, so that nothing else can run them. */
export const cron = part({
  name: 'cron',
  dirs: [systemDir('etc/panel/cron', 0o700)],
  check: fields<CronState>(
    { jobs: listOf(object({ id: text(patterns.id), schedule: text(schedule, 512) }, 'a cron job'), maxJobs) },
    'cron',
  ),
  render({ username, suspended }, { jobs }) {
    if (suspended || jobs.length === 0) return nothing
    const lines = jobs.map(({ id, schedule }) => `${schedule} ${id}`)
    return { dirs: [], files: [systemFile(`etc/panel/cron/${username}`, 0o600, lines)] }
  },
})
