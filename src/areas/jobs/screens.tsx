import { isOver } from '../../web/kit/job.ts'
import type { Action, Screen } from '../../web/kit/screen.ts'
import { jobPage } from './views/job.tsx'

const columns = ['kind', 'username', 'status', 'progress_pct', 'created_at', 'finished_at', 'error']
const cancelled: Action = { done: 'Job cancelled.', label: 'Cancel', when: ({ data }) => !isOver(data.job) }
const retried: Action = {
  done: 'Job queued again.',
  label: 'Try again',
  when: ({ data }) => data.job.status === 'failed',
}
const list = {
  path: '/jobs',
  title: 'Jobs',
  to: '/jobs/{id}',
  empty:
    'A change on the host is carried out by a job, which has steps and a log. The first one appears with the first change.',
}
const one = { path: '/jobs/{job}', title: 'Job', view: jobPage, since: 'log_after' } as const
const find = ['failed', 'background', 'queue']

export const screens: readonly Screen[] = [
  { ...list, shows: 'listJobs', columns, nav: { group: 'work', order: 10 }, find },
  { ...one, shows: 'getJob', acts: { cancelJob: cancelled, retryJob: retried } },
  { ...list, shows: 'listJobsForAccount', columns: columns.filter((name) => name !== 'username'), find },
  { ...one, shows: 'getJobForAccount', acts: { cancelJobForAccount: cancelled, retryJobForAccount: retried } },
]
