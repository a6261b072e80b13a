import { eq, sql } from 'drizzle-orm'
import { notFound } from '../../../contract/problem.ts'
import { type Actor, isRoot } from '../../../runtime/operations/actor.ts'
import type { AccountName, Context } from '../../../runtime/operations/context.ts'
import { prepared } from '../../../store/prepared.ts'
import { accounts } from '../tables.ts'

/** What operations below an account's path know of it: a fifth of the cost of the whole row with its joins. */
export interface FoundAccount extends AccountName {
  readonly suspended_at: number | null
  readonly terminating: boolean
  /** Made by an import and not activated: its customer changes nothing, and others only while no step runs. */
  readonly importing: 'idle' | 'running' | null
}

const queries = prepared((db) => ({
  byId: db
    .select({
      id: accounts.id,
      username: accounts.username,
      domain: accounts.main_domain,
      owner_id: accounts.owner_id,
      suspended_at: accounts.suspended_at,
      terminating: accounts.terminating,
      // By SQL alone: accounts must not import the areas that extend it.
      importing: sql<
        'idle' | 'running' | null
      >`CASE WHEN ${accounts.importing_since} IS NULL THEN NULL WHEN EXISTS (SELECT 1 FROM
        imports WHERE imports.account_id = ${accounts.id} AND imports.status IN ('queued', 'running', 'syncing'))
        THEN 'running' ELSE 'idle' END`,
    })
    .from(accounts)
    .where(eq(accounts.id, sql.placeholder('id')))
    .prepare(),
}))

/** The account, or 404 `not-found` if it is unknown or not the actor's. */
export function findAccount(ctx: Context, id: string): FoundAccount {
  const account = queries(ctx.db).byId.get({ id })
  if (!account || !reaches(ctx.actor, account)) throw notFound('account')
  return account
}

/** Whether the actor can reach the account: root any, a reseller those it owns, a customer its own. */
function reaches(actor: Actor, account: { id: string; owner_id: string }): boolean {
  if (isRoot(actor)) return true
  return actor.type === 'reseller' ? account.owner_id === actor.id : account.id === actor.id
}
