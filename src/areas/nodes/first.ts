import { sql } from 'drizzle-orm'
import type { Runtime } from '../../runtime/runtime.ts'
import { getSetting, setSetting } from '../../runtime/settings/settings.ts'
import { FIRST_ACCOUNT_UID } from '../../shared/account-uids.ts'
import { localNode } from '../../shared/node-name.ts'
import { whyAbsent } from './retire.ts'
import { allNodes, nodeByName } from './store.ts'
import { nodes } from './tables.ts'

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    /** Of stores from before there were nodes. */
    next_uid: number | null
  }
}

/** Creates the node that always exists; the other nodes' jobs wait until they connect. */
export async function prepareNodes(runtime: Runtime): Promise<void> {
  const { store } = runtime
  if (!nodeByName(store.db, localNode)) await store.change(() => makeLocal(runtime))
  for (const { name } of allNodes(store.db)) if (name !== localNode) runtime.nodes.close(name, whyAbsent({ name }))
}

function makeLocal(runtime: Runtime): void {
  const { db } = runtime.store
  const now = runtime.clock.now()
  db.insert(nodes)
    .values({
      id: runtime.id(),
      name: localNode,
      roles: ['web', 'db', 'mail', 'dns'],
      state: 'active',
      next_uid: getSetting(db, 'next_uid') ?? FIRST_ACCOUNT_UID,
      accounts: db.get<{ total: number }>(sql`SELECT count(*) AS total FROM accounts`)!.total,
      created_at: now,
      joined_at: now,
    })
    .run()
  setSetting(db, 'next_uid', null)
}
