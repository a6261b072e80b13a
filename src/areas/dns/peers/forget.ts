import { eq } from 'drizzle-orm'
import type { Context } from '../../../runtime/operations/context.ts'
import { oweAll } from '../served/store.ts'
import { noteChanges, peerOfNode } from './store.ts'
import { peers } from './tables.ts'

/** Has a node told again of all zones that its name server serves for other nodes' accounts. */
export function forgetReported({ db }: Pick<Context, 'db'>, node: string): void {
  oweAll(db, node)
  if (!peerOfNode(db, node)) return
  db.update(peers).set({ told: null }).where(eq(peers.node, node)).run()
  noteChanges(db, true)
}
