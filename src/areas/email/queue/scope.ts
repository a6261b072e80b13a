import { and, eq, type SQL } from 'drizzle-orm'
import { type Actor, isRoot } from '../../../runtime/operations/actor.ts'
import type { Db } from '../../../store/open.ts'
import { accounts } from '../../accounts/tables.ts'

/** Whose messages: of all, of a reseller's accounts, or of one account. */
export interface QueueScope {
  readonly owner?: string | undefined
  readonly account?: string | undefined
}

/** A scope, as a job carries it. */
export const namesOf = ({ owner, account }: QueueScope): Record<string, string> => ({
  ...(owner !== undefined && { owner }),
  ...(account !== undefined && { account }),
})

export interface MailAccount {
  readonly id: string
  readonly username: string
}

export const scopeOf = (actor: Actor, account?: string): QueueScope => ({
  ...(isRoot(actor) || actor.type === 'account' ? {} : { owner: actor.id }),
  ...(account !== undefined && { account }),
})

const within = ({ owner, account }: QueueScope): SQL | undefined =>
  and(
    owner === undefined ? undefined : eq(accounts.owner_id, owner),
    account === undefined ? undefined : eq(accounts.id, account),
  )

/** The accounts in a scope whose mail is on a node, by user id; all of it has accounts that no filter names. */
export function mailAccounts(db: Db, scope: QueueScope, node: string): ReadonlyMap<number, MailAccount> {
  const { id, username, uid } = accounts
  const rows = db
    .select({ id, username, uid })
    .from(accounts)
    .where(and(eq(accounts.mail_node, node), within(scope)))
  return new Map(rows.all().map((row) => [row.uid, { id: row.id, username: row.username }]))
}

/** Whether it leaves out messages of no account. */
export const isNarrow = ({ owner, account }: QueueScope): boolean => owner !== undefined || account !== undefined
