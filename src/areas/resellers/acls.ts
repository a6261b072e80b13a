import { eq, getTableColumns, sql } from 'drizzle-orm'
import { notFound, Problem } from '../../contract/problem.ts'
import type * as declared from '../../contract/resellers.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Handler } from '../../runtime/operations/run.ts'
import { page } from '../../store/page.ts'
import { acls, resellers } from './tables.ts'

const selection = {
  ...getTableColumns(acls),
  reseller_count: sql<number>`(SELECT count(*) FROM resellers AS held WHERE held.acl_id = ${acls.id})`,
}

export type FullAcl = typeof acls.$inferSelect & { reseller_count: number }

/** The named list, or 404 `not-found`. */
export function findAcl(ctx: Context, id: string): FullAcl {
  const found = ctx.db.select(selection).from(acls).where(eq(acls.id, id)).get()
  if (!found) throw notFound('list of privileges')
  return found
}

const listAcls: Handler<typeof declared.listAcls> = {
  handle(ctx, { query }) {
    const rows = ctx.db.select(selection).from(acls).$dynamic()
    return page(ctx.db, { rows, table: acls, id: acls.id, name: acls.name }, query)
  },
}

const createAcl: Handler<typeof declared.createAcl> = {
  handle(ctx, { body }) {
    refuseTakenName(ctx, body.name)
    const row = { id: ctx.id(), name: body.name, acl: [...new Set(body.acl)], created_at: ctx.now, updated_at: ctx.now }
    ctx.db.insert(acls).values(row).run()
    ctx.note({ object_id: row.id, after: { name: row.name, acl: row.acl } })
    return findAcl(ctx, row.id)
  },
}

const getAcl: Handler<typeof declared.getAcl> = { handle: ({ found }) => found.acl }

/** Resellers with the list get its new privileges at once. */
const updateAcl: Handler<typeof declared.updateAcl> = {
  handle(ctx, { body }) {
    const before = ctx.found.acl
    if (body.name !== undefined) refuseTakenName(ctx, body.name, before.id)
    const acl = body.acl ? [...new Set(body.acl)] : before.acl
    ctx.db
      .update(acls)
      .set({ name: body.name ?? before.name, acl, updated_at: ctx.now })
      .where(eq(acls.id, before.id))
      .run()
    if (body.acl)
      ctx.db.update(resellers).set({ acl, updated_at: ctx.now }).where(eq(resellers.acl_id, before.id)).run()
    ctx.note({ object_id: before.id, before: { name: before.name, acl: before.acl }, after: body })
    return findAcl(ctx, before.id)
  },
}

const deleteAcl: Handler<typeof declared.deleteAcl> = {
  handle(ctx) {
    const found = ctx.found.acl
    if (found.reseller_count > 0)
      throw new Problem(
        'in-use',
        `${found.reseller_count} resellers use the list ${found.name}; give them another first.`,
      )
    ctx.db.delete(acls).where(eq(acls.id, found.id)).run()
    ctx.note({ object_id: found.id, before: { name: found.name, acl: found.acl } })
    return undefined
  },
}

function refuseTakenName(ctx: Context, name: string, self?: string): void {
  const same = ctx.db.select({ id: acls.id }).from(acls).where(eq(acls.name, name)).get()
  if (same && same.id !== self)
    throw new Problem('exists', `A list named ${name} already exists.`, { name: 'is taken; choose another' })
}

export const aclOperations = { listAcls, createAcl, getAcl, updateAcl, deleteAcl }
