import { eq } from 'drizzle-orm'
import type * as declared from '../../contract/mysql.ts'
import { invalid, Problem } from '../../contract/problem.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { refuseOneMore } from '../accounts/limits/usage-limits.ts'
import { deletionJob } from '../accounts/operations/deleting.ts'
import { nameProblem, prefixOf, withPrefix } from './names.ts'
import { databaseById, databaseNamed, databasesOf, toDatabase } from './store.ts'
import { type DatabaseRow, databases } from './tables.ts'

const listDatabases: Handler<typeof declared.listDatabases> = {
  handle(ctx, { query }) {
    const { items, total } = databasesOf.page(ctx, ctx.found.account.id, query)
    return { items: items.map((row) => toDatabase(ctx, row)), total }
  },
}

const getDatabase: Handler<typeof declared.getDatabase> = { handle: (ctx) => toDatabase(ctx, ctx.found.database) }

/** Creates the database's row; its job applies it to the host. */
const createDatabase: Handler<typeof declared.createDatabase> = {
  handle(ctx, { body }) {
    const { account } = ctx.found
    const name = withPrefix(prefixOf(ctx, account.id), body.name)
    const problem = nameProblem('database', name)
    if (problem) throw invalid('name', problem)
    if (databaseNamed(ctx.db, name)) throw new Problem('exists', `${name} exists already.`, { name: 'exists already' })
    refuseOneMore(ctx, 'databases', account.id)
    const database: DatabaseRow = {
      id: ctx.id(),
      account_id: account.id,
      name,
      collation: body.collation ?? 'utf8mb4_unicode_ci',
      used_bytes: 0,
      measured_at: ctx.now,
      status: 'creating',
      created_at: ctx.now,
    }
    ctx.db.insert(databases).values(database).run()
    ctx.emit({ type: 'mysql.database.created', account, object_id: database.id, details: { name } })
    ctx.note({ account, object_id: database.id, after: { name, collation: database.collation } })
    const job_id = ctx.enqueue({ kind: 'mysql.database.create', account, object_id: database.id })
    return { database: toDatabase(ctx, database), job_id }
  },
}

/** Removes the database from the host; then the row is deleted and its name is free. */
const deleteDatabase: Handler<typeof declared.deleteDatabase> = {
  handle(ctx, { query }) {
    const { account, database } = ctx.found
    if (query.confirm !== database.name) throw invalid('confirm', "must be the database's name")
    const { id, name } = database
    ctx.note({ account, object_id: id, before: { name } })
    if (database.status !== 'deleting') {
      ctx.db.update(databases).set({ status: 'deleting' }).where(eq(databases.id, id)).run()
      ctx.emit({ type: 'mysql.database.deleted', account, object_id: id, details: { name } })
    }
    const job_id = deletionJob(ctx, account, 'mysql.database.delete', id)
    return { database: toDatabase(ctx, databaseById(ctx.db, id)!), job_id }
  },
}

export const databaseOperations = { listDatabases, createDatabase, getDatabase, deleteDatabase }
