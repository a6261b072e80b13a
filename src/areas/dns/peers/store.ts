import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import { notFound } from '../../../contract/problem.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { catalogChanges, type PeerRow, peers } from './tables.ts'

const queries = prepared((db) => ({
  all: db.select().from(peers).orderBy(asc(peers.id)).prepare(),
  ofNode: db
    .select()
    .from(peers)
    .where(eq(peers.node, sql.placeholder('node')))
    .prepare(),
  byId: db
    .select()
    .from(peers)
    .where(and(eq(peers.id, sql.placeholder('id')), isNull(peers.node)))
    .prepare(),
  changes: db.select({ waiting: catalogChanges.waiting }).from(catalogChanges).prepare(),
}))

export const allPeers = (db: Db): PeerRow[] => queries(db).all.all()

export const peerOfNode = (db: Db, node: string): PeerRow | undefined => queries(db).ofNode.get({ node })

export function findPeer(ctx: Context, id: string): PeerRow {
  const peer = queries(ctx.db).byId.get({ id })
  if (!peer) throw notFound('DNS peer')
  return peer
}

/** Whether there is or has ever been a peer. */
export const hasCatalogs = (db: Db): boolean => queries(db).changes.get() !== undefined

/** Whether zones came or went since the host was told. */
export const changesWait = (db: Db): boolean => queries(db).changes.get()?.waiting ?? false

/** Inside a change. */
export const noteChanges = (db: Db, waiting: boolean): void =>
  void db
    .insert(catalogChanges)
    .values({ place: 1, waiting })
    .onConflictDoUpdate({ target: catalogChanges.place, set: { waiting } })
    .run()
