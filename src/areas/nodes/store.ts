import { asc, eq, sql } from 'drizzle-orm'
import { notFound } from '../../contract/problem.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Db } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { type NodeRow, nodes } from './tables.ts'

const queries = prepared((db) => ({
  all: db.select().from(nodes).orderBy(asc(nodes.id)).prepare(),
  byId: db
    .select()
    .from(nodes)
    .where(eq(nodes.id, sql.placeholder('id')))
    .prepare(),
  byName: db
    .select()
    .from(nodes)
    .where(eq(nodes.name, sql.placeholder('name')))
    .prepare(),
  takeUid: db
    .update(nodes)
    .set({ next_uid: sql`${nodes.next_uid} + 1` })
    .where(eq(nodes.name, sql.placeholder('name')))
    .returning({ next: nodes.next_uid })
    .prepare(),
}))

export const allNodes = (db: Db): NodeRow[] => queries(db).all.all()

export const nodeByName = (db: Db, name: string): NodeRow | undefined => queries(db).byName.get({ name })

export const holdsAccounts = (db: Db, name: string): boolean => (nodeByName(db, name)?.accounts ?? 0) > 0

export const nodeById = (db: Db, id: string): NodeRow | undefined => queries(db).byId.get({ id })

/** The node, or 404 `not-found`. */
export function findNode(ctx: Context, id: string): NodeRow {
  const node = nodeById(ctx.db, id)
  if (!node) throw notFound('node')
  return node
}

/** Never assigns user ids up to this one on a node again. */
export const passUid = (db: Db, name: string, uid: number): void =>
  void db
    .update(nodes)
    .set({ next_uid: sql`max(${nodes.next_uid}, ${uid + 1})` })
    .where(eq(nodes.name, name))
    .run()

/** Takes a node's next user id. */
export const takeUid = (db: Db, name: string): number => queries(db).takeUid.get({ name })!.next - 1
