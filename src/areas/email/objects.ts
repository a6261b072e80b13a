import { Problem } from '../../contract/problem.ts'
import type { AccountState } from '../../host/driver.ts'
import type { AccountName, Context } from '../../runtime/context.ts'
import { JobError, type JobKind, type RunningJob } from '../../runtime/kind.ts'
import { unfinishedJob } from '../../runtime/queue.ts'
import type { JobRow } from '../../runtime/tables.ts'
import type { Db } from '../../store/open.ts'
import { applyAccount, type Host, reapplyAccount, type Scope } from '../accounts/apply.ts'
import { accountById } from '../accounts/store.ts'

type Writes = Pick<Context, 'store'>
type Status = 'creating' | 'active' | 'deleting'

/** A kind of object with a status, whose jobs are called after it. */
export interface Kind {
  /** `email.account`: the first words of its jobs. */
  readonly jobs: string
  readonly byId: (db: Db, id: string) => { readonly status: Status } | undefined
  readonly setStatus: (writes: Writes, id: string, status: Status) => void
  readonly remove: (writes: Writes, id: string) => void
}

const scope: Scope = { areas: ['mail'] }

/** Brings the account's mail in line. */
export async function applyMail(host: Host, job: RunningJob, areas: Scope = scope): Promise<AccountState | undefined> {
  const account = accountById(host.runtime.store.db, job.row.account_id!)
  if (!account) throw new JobError('The account no longer exists.', true)
  return applyAccount(host, account, job, areas)
}

/** The jobs that carry objects of a kind to the host: made, changed, and taken away. */
export function objectJobs(host: Host, kind: Kind, changes: readonly string[]): JobKind[] {
  const { store } = host.runtime
  const exists = ({ object_id }: JobRow): boolean => kind.byId(store.db, object_id!) !== undefined
  const activate = (ctx: Writes, id: string): void => {
    if (kind.byId(store.db, id)?.status === 'creating') kind.setStatus(ctx, id, 'active')
  }
  return [
    {
      kind: `${kind.jobs}.create`,
      exists,
      async run(job) {
        await applyMail(host, job)
        return (ctx) => activate(ctx, job.row.object_id!)
      },
      async undo(job, signal) {
        await store.change(() => kind.remove({ store }, job.object_id!))
        await reapplyAccount(host, job, signal, scope)
      },
      failed: (ctx, job) => kind.remove(ctx, job.object_id!),
    },
    ...changes.map(
      (change): JobKind => ({
        kind: `${kind.jobs}.${change}`,
        exists,
        async run(job) {
          await applyMail(host, job)
          return undefined
        },
      }),
    ),
    {
      kind: `${kind.jobs}.delete`,
      exists,
      async run(job) {
        await applyMail(host, job)
        return (ctx) => kind.remove(ctx, job.row.object_id!)
      },
    },
  ]
}

/** 409 `busy` for what is on its way out. */
export function refuseBeingDeleted(what: string, { status }: { readonly status: string }): void {
  if (status === 'deleting') throw new Problem('busy', `${what} is being deleted.`)
}

/** Asks for a job of the account's mail, and answers its id. */
export const carry = (ctx: Context, account: AccountName, kind: string, object_id: string): string =>
  ctx.enqueue({ kind, account, object_id, areas: ['mail'] })

/** The job that takes it away, once more where it is on its way already. */
export function carryDelete(ctx: Context, account: AccountName, kind: string, object_id: string): string {
  const running = unfinishedJob(ctx.runtime, account.id, kind, object_id)
  return running ? running.id : carry(ctx, account, kind, object_id)
}
