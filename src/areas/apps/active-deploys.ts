import { and, eq, inArray } from 'drizzle-orm'
import { stopJob, unfinished } from '../../runtime/jobs/queue.ts'
import type { NewJob } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { type JobRow, jobs } from '../../runtime/tables.ts'
import { releaseById } from './releases/store.ts'

/** The kinds of job that make a release live. */
export const deployKinds = ['app.deploy', 'app.rollback'] as const

export const releaseIdOf = ({ payload }: Pick<JobRow, 'payload'>): string => payload['release']!

/** Whether a job's release is live already: the rest of the job cannot be undone. */
export const isAfterSwitch = ({ store }: Pick<Runtime, 'store'>, job: JobRow): boolean =>
  releaseById(store.db, releaseIdOf(job))?.status === 'live'

/** Stops the deploys of an app or of a whole account; inside a change. */
export function stopDeploys(runtime: Runtime, of: { readonly app: string } | { readonly account: string }): void {
  const owner = 'app' in of ? eq(jobs.object_id, of.app) : eq(jobs.account_id, of.account)
  const deploys = and(owner, inArray(jobs.kind, [...deployKinds]), inArray(jobs.status, [...unfinished]))
  for (const job of runtime.store.db.select().from(jobs).where(deploys).all())
    if (!isAfterSwitch(runtime, job)) stopJob(runtime, job)
}

const ends = new Set(['account.suspend', 'account.terminate'])

/** Stops the builds of an account about to be suspended or terminated. */
export function stopWithAccount(runtime: Runtime, { kind, account }: NewJob): void {
  if (account && ends.has(kind)) stopDeploys(runtime, { account: account.id })
}
