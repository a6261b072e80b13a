import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { maxDatabaseUsers } from '../../../contract/mysql.ts'
import { invalid, Problem } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Granted } from '../../../shared/sql/privileges.ts'
import type { Secrets } from '../../accounts/objects/part.ts'
import { nameProblem } from '../names.ts'
import { nativeHash, purpose } from '../password.ts'
import { databaseNamed, setGrant, userNamed, usersOf } from '../store.ts'
import { grants, type UserRow, users } from '../tables.ts'
import { refuseOthers } from './databases.ts'

export interface SavedUser {
  readonly name: string
  /** Encrypted. */
  readonly hash: string
  readonly hash_at: number
  readonly grants: readonly { readonly database: string; readonly privileges: Granted }[]
}

type Opens = Pick<Secrets, 'open'>

/** Returns the users whose password is lost. */
export const restoreUsers = (ctx: Context, account: string, all: readonly SavedUser[], secrets: Opens): string[] =>
  all.flatMap((saved) => restoreOne(ctx, account, saved, secrets))

function restoreOne(ctx: Context, account: string, saved: SavedUser, { open }: Opens): string[] {
  const there = userNamed(ctx.db, saved.name)
  if (there) refuseOthers(there, account)
  const id = there?.id ?? add(ctx, account, saved.name)
  const hash = open(saved.hash)
  if (hash !== undefined) setPassword(ctx, id, hash, saved.hash_at)
  restoreGrants(ctx, id, saved)
  return hash === undefined ? [`${saved.name}: its password cannot be read in this backup: set a new one`] : []
}

function add(ctx: Context, account_id: string, name: string): string {
  const problem = nameProblem('user', name)
  if (problem) throw invalid('name', problem)
  if (usersOf.count(ctx.db, account_id) >= maxDatabaseUsers)
    throw new Problem('too-many', `The account has ${maxDatabaseUsers} database users, which is the most.`)
  const row: UserRow = {
    id: ctx.id(),
    account_id,
    name,
    password_hash: ctx.runtime.seal(purpose, nativeHash(randomBytes(32).toString('hex'))),
    password_changed_at: ctx.now,
    status: 'active',
    created_at: ctx.now,
  }
  ctx.db.insert(users).values(row).run()
  return row.id
}

const setPassword = ({ db, runtime }: Context, id: string, hash: string, password_changed_at: number): void =>
  void db
    .update(users)
    .set({ password_hash: runtime.seal(purpose, hash), password_changed_at })
    .where(eq(users.id, id))
    .run()

/** Restores the grants and revokes later ones. */
function restoreGrants(ctx: Context, user: string, saved: SavedUser): void {
  ctx.db.delete(grants).where(eq(grants.user_id, user)).run()
  for (const { database, privileges } of saved.grants)
    setGrant(ctx, databaseNamed(ctx.db, database)!.id, user, privileges)
}
