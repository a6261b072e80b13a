import { eq } from 'drizzle-orm'
import type * as declared from '../../contract/mysql.ts'
import { maxDatabaseUsers } from '../../contract/mysql.ts'
import { Problem, refuseInvalid } from '../../contract/problem.ts'
import type { AccountName, Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { passwordError } from '../../runtime/security/crypt.ts'
import type { FoundAccount } from '../accounts/objects/find-account.ts'
import { deletionJob, refuseDeleting } from '../accounts/operations/deleting.ts'
import { nameProblem, prefixOf, withPrefix } from './names.ts'
import { nativeHash, purpose } from './password.ts'
import { toUser, userById, userNamed, usersOf } from './store.ts'
import { type UserRow, users } from './tables.ts'

const listDatabaseUsers: Handler<typeof declared.listDatabaseUsers> = {
  handle(ctx, { query }) {
    const { items, total } = usersOf.page(ctx, ctx.found.account.id, query)
    return { items: items.map((row) => toUser(ctx, row)), total }
  },
}

const getDatabaseUser: Handler<typeof declared.getDatabaseUser> = { handle: (ctx) => toUser(ctx, ctx.found.user) }

export interface NewUser {
  readonly account: FoundAccount
  /** With the prefix. */
  readonly name: string
  readonly hash: string
}

/** Adds a user, and the job that creates it. */
export function addUser(ctx: Context, { account, name, hash }: NewUser) {
  if (usersOf.count(ctx.db, account.id) >= maxDatabaseUsers)
    throw new Problem('too-many', `The account has ${maxDatabaseUsers} database users, which is the most.`)
  const user: UserRow = {
    id: ctx.id(),
    account_id: account.id,
    name,
    password_hash: ctx.runtime.seal(purpose, hash),
    password_changed_at: ctx.now,
    status: 'creating',
    created_at: ctx.now,
  }
  ctx.db.insert(users).values(user).run()
  ctx.emit({ type: 'mysql.user.created', account, object_id: user.id, details: { name } })
  ctx.note({ account, object_id: user.id, after: { name } })
  return { user, job_id: ctx.enqueue({ kind: 'mysql.user.create', account, object_id: user.id }) }
}

const createDatabaseUser: Handler<typeof declared.createDatabaseUser, string> = {
  prepare: async (_ctx, { body }) => nativeHash(body.password),
  handle(ctx, { body }, hash) {
    const { account } = ctx.found
    const name = withPrefix(prefixOf(ctx, account.id), body.name)
    refuseInvalid({ name: nameProblem('user', name), password: passwordError(body.password, name, body.name) })
    if (userNamed(ctx.db, name)) throw new Problem('exists', `${name} exists already.`, { name: 'exists already' })
    const { user, job_id } = addUser(ctx, { account, name, hash })
    return { user: toUser(ctx, user), job_id }
  },
}

const changeDatabaseUserPassword: Handler<typeof declared.changeDatabaseUserPassword, string> = {
  prepare: async (_ctx, { body }) => nativeHash(body.new_password),
  handle(ctx, { body }, hash) {
    const { account, user } = ctx.found
    const ownName = user.name.slice(user.name.indexOf('_') + 1)
    refuseInvalid({ new_password: passwordError(body.new_password, user.name, ownName) })
    refuseDeleting(user.name, user)
    setUser(ctx, user.id, { password_hash: ctx.runtime.seal(purpose, hash), password_changed_at: ctx.now })
    ctx.note({ account, object_id: user.id, after: { name: user.name } })
    const job_id = ctx.enqueue({ kind: 'mysql.user.password', account, object_id: user.id })
    return { user: toUser(ctx, userById(ctx.db, user.id)!), job_id }
  },
}

const setUser = ({ db }: Context, id: string, values: Partial<UserRow>): void =>
  void db.update(users).set(values).where(eq(users.id, id)).run()

const deleteDatabaseUser: Handler<typeof declared.deleteDatabaseUser> = {
  handle(ctx) {
    const { account, user } = ctx.found
    ctx.note({ account, object_id: user.id, before: { name: user.name } })
    const job_id = endUser(ctx, account, user)
    return { user: toUser(ctx, userById(ctx.db, user.id)!), job_id }
  },
}

/** Marks a user as being deleted, and returns the job that removes it from the host. */
export function endUser(ctx: Context, account: AccountName, { id, name, status }: UserRow): string {
  if (status !== 'deleting') {
    setUser(ctx, id, { status: 'deleting' })
    ctx.emit({ type: 'mysql.user.deleted', account, object_id: id, details: { name } })
  }
  return deletionJob(ctx, account, 'mysql.user.delete', id)
}

export const userOperations = {
  listDatabaseUsers,
  createDatabaseUser,
  getDatabaseUser,
  changeDatabaseUserPassword,
  deleteDatabaseUser,
}
