import { and, desc, eq, getTableColumns, sql } from 'drizzle-orm'
import type { NoticeKind } from '../../contract/notices.ts'
import type { JobKind } from '../../runtime/jobs/job-kind.ts'
import { isUnresolved } from '../../runtime/jobs/resolve-failures.ts'
import { type JobRow, jobs } from '../../runtime/tables.ts'
import { coalesces } from '../../shared/job-kinds.ts'
import { maxRows, type Notices, undismissed, withinReach } from '../accounts/objects/notice.ts'
import { accounts } from '../accounts/tables.ts'

const failed = withinReach((db, reach) =>
  db
    .select({ ...getTableColumns(jobs), account: accounts.id })
    .from(jobs)
    .leftJoin(accounts, eq(accounts.id, jobs.account_id))
    .where(and(isUnresolved, ownerFilter[reach], isNoticed, isUndismissed))
    .orderBy(desc(jobs.finished_at))
    .limit(maxRows)
    .prepare(),
)

/** Jobs that failed for good, and that no later one has made up for. */
export const failedJobs: Notices = ({ db, runtime: { kinds } }, scope) =>
  failed(db, scope, { elsewhere: JSON.stringify(noticedElsewhere(kinds)) }).map((job) => ({
    kind: noticeOf(kinds.get(job.kind)),
    severity: 'error' as const,
    object: 'job',
    object_id: job.id,
    name: job.kind,
    detail: detailOf(job),
    since: job.finished_at!,
    ...operationOf(kinds.get(job.kind), job),
    ...(job.account !== null && { account_id: job.account }),
  }))

/** An account has many apps: the error alone does not say whose deploy failed. */
const detailOf = ({ payload: { app }, error }: Pick<JobRow, 'payload' | 'error'>): string =>
  app === undefined ? (error ?? '') : `App ${app}: ${error ?? ''}`

const isUndismissed = and(
  undismissed('job-failed', jobs.id, jobs.finished_at),
  undismissed('backup-failed', jobs.id, jobs.finished_at),
)

/** Jobs outlive their account, so its owner is stored with them. */
const ownerFilter = {
  account: eq(jobs.account_id, sql.placeholder('account')),
  owner: eq(jobs.owner_id, sql.placeholder('owner')),
  all: undefined,
} as const

const isNoticed = sql`${jobs.kind} NOT IN (SELECT value FROM json_each(${sql.placeholder('elsewhere')}))`

const noticedElsewhere = (kinds: ReadonlyMap<string, JobKind>): string[] =>
  [...kinds.values()].filter(({ failure }) => failure === 'reported').map(({ kind }) => kind)

const noticeOf = (kind: JobKind | undefined): NoticeKind =>
  kind?.failure === undefined || kind.failure === 'reported' ? 'job-failed' : kind.failure

function operationOf(kind: JobKind | undefined, { account, kind: name }: { account: string | null; kind: string }) {
  if (kind?.again) return { operation: kind.again }
  if (!kind || !coalesces(name)) return {}
  return { operation: account === null ? 'retryJob' : 'retryJobForAccount' }
}
