import { and, eq } from 'drizzle-orm'
import { Problem } from '../../../contract/problem.ts'
import { JobError, type JobKind } from '../../../runtime/jobs/job-kind.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { JobRow } from '../../../runtime/tables.ts'
import type { Db } from '../../../store/open.ts'
import { refusePackageGrant } from '../../packages/part.ts'
import { type PackageRow, packages } from '../../packages/tables.ts'
import { changedLimits, limitsOfPackage } from '../limits/limits.ts'
import { nameOf } from '../store.ts'
import { accounts } from '../tables.ts'

/** Re-applies a changed package to its accounts; each account's own job updates the host. */
export function reapplyJob(db: Db): JobKind {
  return {
    kind: 'package.apply',
    emits: ['account.limits_changed'],
    exists: (job) => exists(db, packageOf(job)),
    run: async (job) => {
      const id = packageOf(job.row)
      if (!exists(db, id)) throw new JobError('The package no longer exists.', true)
      return (ctx) => reapply(ctx, id, job.row.payload['isolation'] !== undefined)
    },
  }
}

const packageOf = (job: JobRow): string => job.payload['package_id']!

const exists = (db: Db, id: string): boolean =>
  db.select({ id: packages.id }).from(packages).where(eq(packages.id, id)).get() !== undefined

/** `all`: the change is read from the package at apply time, not stored with accounts. */
function reapply(ctx: Context, id: string, all: boolean): void {
  const plan = ctx.db.select().from(packages).where(eq(packages.id, id)).get()
  if (!plan) return
  refuseBeyondOwners(ctx, plan)
  const limits = limitsOfPackage(plan)
  const onHost = ctx.db
    .select()
    .from(accounts)
    .where(and(eq(accounts.package_id, id), eq(accounts.terminating, false)))
    .all()
  for (const account of onHost) {
    const changes = changedLimits(account, limits)
    const settled = !all && account.cgi === plan.cgi && account.shell === plan.shell
    if (Object.keys(changes).length === 0 && settled) continue
    ctx.db
      .update(accounts)
      .set({ ...limits, cgi: plan.cgi, shell: plan.shell })
      .where(eq(accounts.id, account.id))
      .run()
    if (Object.keys(changes).length > 0) {
      ctx.emit({
        type: 'account.limits_changed',
        account: nameOf(account),
        object_id: account.id,
        details: { changes },
      })
    }
    ctx.enqueue({ kind: 'account.update', account: nameOf(account) })
  }
}

/** Since the package was changed, an owner may have granted to other accounts what was left. */
function refuseBeyondOwners(ctx: Context, plan: PackageRow): void {
  try {
    refusePackageGrant(ctx, plan)
  } catch (error) {
    if (error instanceof Problem) throw new JobError(error.message, true)
    throw error
  }
}
