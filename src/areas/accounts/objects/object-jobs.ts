import { eq } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { ObjectStatus } from '../../../contract/common.ts'
import type { AccountState } from '../../../host/contract/driver.ts'
import { JobError, type JobKind, type RunningJob } from '../../../runtime/jobs/job-kind.ts'
import { unfinishedJob } from '../../../runtime/jobs/queue.ts'
import type { Reads } from '../../../runtime/operations/context.ts'
import type { JobRow } from '../../../runtime/tables.ts'
import type { Db } from '../../../store/open.ts'
import { applyAccount, type Host, reapplyAccount, type Scope } from '../jobs/apply.ts'
import { accountById } from '../store.ts'

/** A table of account objects that are `creating`, `active` or `deleting`. */
export type WithStatus = SQLiteTable & { readonly id: SQLiteColumn; readonly status: SQLiteColumn }

interface Kinds {
  readonly table: WithStatus
  readonly scope: Scope
  readonly create: string
  /** The verbs that change an existing one. */
  readonly changes: readonly string[]
  readonly delete: string
}

export const statusOf = (db: Db, table: WithStatus, id: string): ObjectStatus | undefined =>
  db
    .select({ status: table.status })
    .from(table as SQLiteTable)
    .where(eq(table.id, id))
    .get()?.status as ObjectStatus | undefined

export const setStatus = ({ db }: Reads, table: WithStatus, id: string, status: ObjectStatus): void =>
  void db
    .update(table as SQLiteTable)
    .set({ status })
    .where(eq(table.id, id))
    .run()

export const removeObject = ({ db }: Reads, table: WithStatus, id: string): void =>
  void db.delete(table).where(eq(table.id, id)).run()

/** Applies parts of the account's state to the host. */
export async function applyFor(host: Host, job: RunningJob, scope: Scope): Promise<AccountState | undefined> {
  const account = accountById(host.runtime.store.db, job.row.account_id!)
  if (!account) throw new JobError('The account no longer exists.', true)
  return applyAccount(host, account, job, scope)
}

/**
 * Removes a failed creation from the host, however far it got: until then the object counts as being deleted. Errors in
 * the rest of the home do not matter.
 */
export async function undoCreate(
  host: Host,
  { table, scope }: Pick<Kinds, 'table' | 'scope'>,
  row: JobRow,
  signal: AbortSignal,
) {
  const { store } = host.runtime
  const id = row.object_id!
  if (statusOf(store.db, table, id) === undefined) return
  await store.change(() => setStatus(store, table, id, 'deleting'))
  await reapplyAccount(host, row, signal, { ...scope, needsHome: false })
}

/** The kinds of job that apply one object of an account. */
export function objectJobs(host: Host, kinds: Kinds): JobKind[] {
  const { table, scope } = kinds
  const { runtime } = host
  const exists = (job: JobRow) => statusOf(runtime.store.db, table, job.object_id!) !== undefined
  const isEnding = ({ account_id, object_id }: JobRow) =>
    unfinishedJob(runtime, account_id!, kinds.delete, object_id!) !== undefined
  const change: Omit<JobKind, 'kind'> = {
    exists,
    async run(job) {
      if (!exists(job.row)) throw new JobError('What this job is about no longer exists.', true)
      await applyFor(host, job, scope)
      return undefined
    },
  }
  return [
    {
      ...change,
      kind: kinds.create,
      async run(job) {
        const id = job.row.object_id!
        // The server crashed during the undo.
        if (statusOf(runtime.store.db, table, id) === 'deleting' && !isEnding(job.row))
          throw new JobError('It could not be created.', true)
        await change.run(job)
        return (ctx) => {
          if (statusOf(ctx.db, table, id) === 'creating') setStatus(ctx, table, id, 'active')
        }
      },
      undo: (job, signal) => undoCreate(host, kinds, job, signal),
      // If its deletion was requested since, that job ends it.
      failed: (ctx, job) => {
        if (!isEnding(job)) removeObject(ctx, table, job.object_id!)
      },
    },
    ...kinds.changes.map((kind) => ({ kind, ...change })),
    {
      kind: kinds.delete,
      exists,
      async run(job) {
        await applyFor(host, job, { ...scope, needsHome: false, deletes: true })
        return (ctx) => removeObject(ctx, table, job.row.object_id!)
      },
    },
  ]
}
