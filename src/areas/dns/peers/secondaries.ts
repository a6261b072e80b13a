import { createHash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import type { Primary } from '../../../host/contract/driver.ts'
import type { Fleet } from '../../../host/nodes/fleet/fleet.ts'
import type { JobKind } from '../../../runtime/jobs/job-kind.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { allNodes } from '../../nodes/store.ts'
import type { NodeRow } from '../../nodes/tables.ts'
import { enqueueOn } from '../served/enqueue.ts'
import { newSecret, primaryIn, purpose } from './primary.ts'
import { noteChanges, peerOfNode } from './store.ts'
import { type PeerRow, peers } from './tables.ts'

const kind = 'dns.secondary.apply'

/** A node that is authoritative itself cannot be a secondary. */
const isSecondary = ({ roles, state, fingerprint }: NodeRow): boolean =>
  roles.includes('dns-secondary') && !roles.includes('dns') && fingerprint !== null && state !== 'retired'

/** Updates peers to the nodes' roles, and enqueues updates for nodes last told something else. Inside a change. */
export function followSecondaries(runtime: Runtime): void {
  const { db } = runtime.store
  for (const node of allNodes(db)) {
    const row = peerOfNode(db, node.name)
    if (!isSecondary(node)) {
      if (row) leave(runtime, row, node)
      continue
    }
    const peer = row ?? become(runtime, node)
    if (peer.told !== digestOf(primaryOf(runtime, peer))) enqueueOn(node, kind, runtime)
  }
}

function become(runtime: Runtime, { name }: NodeRow): PeerRow {
  const { store, clock } = runtime
  const secret = runtime.seal(purpose, newSecret())
  const row = { id: runtime.id(), name: `node_${name}`, addresses: [], secret, node: name, told: null }
  const peer = { ...row, created_at: clock.now() }
  store.db.insert(peers).values(peer).run()
  noteChanges(store.db, true)
  return peer
}

function leave(runtime: Runtime, { id }: PeerRow, node: NodeRow): void {
  const { db } = runtime.store
  db.delete(peers).where(eq(peers.id, id)).run()
  noteChanges(db, true)
  if (node.state !== 'retired') enqueueOn(node, kind, runtime)
}

const primaryOf = (runtime: Runtime, { name, secret }: PeerRow): Primary => ({
  ...primaryIn(runtime.store.db),
  name,
  secret: runtime.unseal(purpose, secret),
})

const digestOf = (primary: Primary): string => createHash('sha256').update(JSON.stringify(primary)).digest('hex')

/** Tells a node which primary its name server is a secondary of, or that it is not a secondary. */
export const secondaryJob = (runtime: Runtime, fleet: Fleet): JobKind => ({
  kind,
  exists: () => true,
  async run({ row: { node }, signal }) {
    const peer = peerOfNode(runtime.store.db, node)
    const primary = peer && primaryOf(runtime, peer)
    await fleet.driverOf(node).followPrimary({ primary }, { signal })
    if (!primary) return undefined
    return ({ db }) =>
      void db
        .update(peers)
        .set({ told: digestOf(primary) })
        .where(eq(peers.node, node))
        .run()
  },
})
