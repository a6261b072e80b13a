import { prose } from '../../web/kit/components/cell.tsx'
import { isOver, isRetryable } from '../../web/kit/job.ts'
import type { Action, Screen } from '../../web/kit/screen.ts'
import { jobPage, Work } from './views/job.tsx'

const columns = ['kind', 'username', 'status', 'created_at']
const cancelled: Action = { done: 'Job cancelled.', label: 'Cancel', when: ({ data }) => !isOver(data.job) }
const retried: Action = {
  done: 'Job queued again.',
  label: 'Try again',
  when: ({ data }) => isRetryable(data.job),
}
const list: Omit<Screen, 'shows'> = {
  path: '/jobs',
  title: 'Jobs',
  to: '/jobs/{id}',
  looks: { kind: { long: true, cell: ({ kind, payload }) => <Work kind={kind} payload={payload} /> } },
  rowDetails: ({ error }) => (error === undefined ? undefined : <p class="error">{prose(error)}</p>),
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
