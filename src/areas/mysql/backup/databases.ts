import { invalid, Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import { refuseOneMore } from '../../accounts/limits/usage-limits.ts'
import { refuseDeleting } from '../../accounts/operations/deleting.ts'
import { nameProblem } from '../names.ts'
import { databaseNamed } from '../store.ts'
import { type DatabaseRow, databases } from '../tables.ts'

export type SavedDatabase = Pick<DatabaseRow, 'name' | 'collation'>

export function restoreDatabases(ctx: Context, account: string, all: readonly SavedDatabase[]): void {
  for (const saved of all) restoreOne(ctx, account, saved)
}

/** An existing database keeps its collation, as its tables do. */
function restoreOne(ctx: Context, account_id: string, { name, collation }: SavedDatabase): void {
  const there = databaseNamed(ctx.db, name)
  if (there) return refuseOthers(there, account_id)
  const problem = nameProblem('database', name)
  if (problem) throw invalid('name', problem)
  refuseOneMore(ctx, 'databases', account_id)
  const made = { id: ctx.id(), account_id, name, collation, used_bytes: 0, measured_at: ctx.now }
  ctx.db
    .insert(databases)
    .values({ ...made, status: 'active', created_at: ctx.now })
    .run()
}

type UsedDatabase = Pick<DatabaseRow, 'name' | 'account_id' | 'status'>

/** 409 for a name that is another account's or being deleted. */
export function refuseOthers(there: UsedDatabase, account: string): void {
  if (there.account_id !== account) throw new Problem('exists', `${there.name} belongs to another account.`)
  refuseDeleting(there.name, there)
}
