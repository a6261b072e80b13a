import { eq } from 'drizzle-orm'
import type { z } from 'zod'
import type * as declared from '../../contract/mysql.ts'
import { invalid, Problem, refuseInvalid } from '../../contract/problem.ts'
import type { AccountName, Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { passwordError } from '../../runtime/security/crypt.ts'
import { all } from '../../shared/sql/privileges.ts'
import { refuseOneMore } from '../accounts/limits/usage-limits.ts'
import type { FoundAccount } from '../accounts/objects/find-account.ts'
import { deletionJob, refuseDeleting } from '../accounts/operations/deleting.ts'
import { grantedBy } from './grants.ts'
import { nameProblem, prefixOf, withPrefix } from './names.ts'
import { nativeHash } from './password.ts'
import { databaseById, databaseNamed, databasesOf, setGrant, toDatabase, userNamed } from './store.ts'
import { type DatabaseRow, databases } from './tables.ts'
import { addUser, type NewUser } from './users.ts'

const listDatabases: Handler<typeof declared.listDatabases> = {
  handle(ctx, { query }) {
    const { items, total } = databasesOf.page(ctx, ctx.found.account.id, query)
    return { items: items.map((row) => toDatabase(ctx, row)), total }
  },
}

const getDatabase: Handler<typeof declared.getDatabase> = { handle: (ctx) => toDatabase(ctx, ctx.found.database) }

/** Creates the database's row, with a user of it if one is named; its jobs apply them to the host. */
const createDatabase: Handler<typeof declared.createDatabase, string | undefined> = {
  prepare: async (_ctx, { body: { password } }) => (password === undefined ? undefined : nativeHash(password)),
  handle(ctx, { body }, hash) {
    const { account } = ctx.found
    const prefix = prefixOf(ctx, account.id)
    const name = withPrefix(prefix, body.name)
    const user = body.user === undefined ? undefined : withPrefix(prefix, body.user)
    const privileges = grantedBy(body.privileges ?? [all])
    refuseInvalid({ name: nameProblem('database', name), ...userProblems(ctx, body, user) })
    if (databaseNamed(ctx.db, name)) throw new Problem('exists', `${name} exists already.`, { name: 'exists already' })
    refuseOneMore(ctx, 'databases', account.id)
    const { database, job_id } = addDatabase(ctx, { account, name, collation: body.collation ?? 'utf8mb4_unicode_ci' })
    const after = { name, collation: database.collation }
    if (user === undefined) ctx.note({ account, object_id: database.id, after })
    else {
      setGrant(ctx, database.id, userFor(ctx, { account, name: user, hash }), privileges)
      ctx.note({ account, object_id: database.id, after: { ...after, user, privileges } })
    }
    return { database: toDatabase(ctx, database), job_id }
  },
}

interface NewDatabase extends Pick<DatabaseRow, 'collation'> {
  readonly account: FoundAccount
  /** With the prefix. */
  readonly name: string
}

/** Adds a database, and the job that creates it. */
export function addDatabase(ctx: Context, { account, name, collation }: NewDatabase) {
  const database: DatabaseRow = {
    id: ctx.id(),
    account_id: account.id,
    name,
    collation,
    used_bytes: 0,
    measured_at: ctx.now,
    status: 'creating',
    created_at: ctx.now,
  }
  ctx.db.insert(databases).values(database).run()
  ctx.emit({ type: 'mysql.database.created', account, object_id: database.id, details: { name } })
  return { database, job_id: ctx.enqueue({ kind: 'mysql.database.create', account, object_id: database.id }) }
}

/** The user of that name, who is created if there is none. */
function userFor(
  ctx: Context,
  { hash, ...named }: Omit<NewUser, 'hash'> & { readonly hash: string | undefined },
): string {
  const old = userNamed(ctx.db, named.name)
  if (!old) return addUser(ctx, { ...named, hash: hash! }).user.id
  refuseDeleting(old.name, old)
  return old.id
}

/** A new user needs a password, one that exists has its own. */
function userProblems(
  { db }: Context,
  { user, password, privileges }: z.output<typeof declared.CreateDatabase>,
  name?: string,
) {
  if (name === undefined || user === undefined)
    return {
      password: password === undefined ? undefined : 'needs a user',
      privileges: privileges === undefined ? undefined : 'needs a user',
    }
  if (userNamed(db, name)) return { password: password === undefined ? undefined : `${name} exists: leave it empty` }
  return {
    user: nameProblem('user', name),
    password: password === undefined ? 'is required for a new user' : passwordError(password, name, user),
  }
}

/** Removes the database from the host; then the row is deleted and its name is free. */
const deleteDatabase: Handler<typeof declared.deleteDatabase> = {
  handle(ctx, { query }) {
    const { account, database } = ctx.found
    if (query.confirm !== database.name) throw invalid('confirm', "must be the database's name")
    const { id, name } = database
    ctx.note({ account, object_id: id, before: { name } })
    const job_id = endDatabase(ctx, account, database)
    return { database: toDatabase(ctx, databaseById(ctx.db, id)!), job_id }
  },
}

/** Marks a database as being deleted, and returns the job that removes it from the host. */
export function endDatabase(ctx: Context, account: AccountName, { id, name, status }: DatabaseRow): string {
  if (status !== 'deleting') {
    ctx.db.update(databases).set({ status: 'deleting' }).where(eq(databases.id, id)).run()
    ctx.emit({ type: 'mysql.database.deleted', account, object_id: id, details: { name } })
  }
  return deletionJob(ctx, account, 'mysql.database.delete', id)
}

export const databaseOperations = { listDatabases, createDatabase, getDatabase, deleteDatabase }
