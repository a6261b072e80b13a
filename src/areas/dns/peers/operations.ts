import { eq, isNull } from 'drizzle-orm'
import ipaddr from 'ipaddr.js'
import type * as declared from '../../../contract/dns-peers.ts'
import { invalid, Problem } from '../../../contract/problem.ts'
import { canonicalAddress } from '../../../runtime/operations/address.ts'
import type { Handler } from '../../../runtime/operations/run.ts'
import { tsigAlgorithm, tsigName } from '../../../shared/zone/catalog.ts'
import { type Primary, secondaryLines } from '../../../shared/zone/secondary.ts'
import { page } from '../../../store/page.ts'
import { applyServerJob } from './follow.ts'
import { newSecret, primaryIn, purpose } from './primary.ts'
import { allPeers, noteChanges } from './store.ts'
import { type PeerRow, peers } from './tables.ts'

/** The peer's configuration for BIND 9.18 and later. */
function configurationOf(primary: Primary) {
  const { beside, inside } = secondaryLines(primary)
  const configuration = [...beside, '// Inside of options { … }:', ...inside]
  const key = { name: tsigName(primary.name), algorithm: tsigAlgorithm, secret: primary.secret }
  return { key, configuration: `${configuration.join('\n')}\n` }
}

const toPeer = ({ id, name, addresses, created_at }: Omit<PeerRow, 'secret' | 'node' | 'told'>) => ({
  id,
  name,
  addresses: [...addresses],
  created_at,
})

const listDnsPeers: Handler<typeof declared.listDnsPeers> = {
  handle(ctx, { query }) {
    const rows = ctx.db.select().from(peers).$dynamic()
    const where = isNull(peers.node)
    const { items, total } = page(ctx.db, { rows, table: peers, id: peers.id, name: peers.name, where }, query)
    return { items: items.map(toPeer), total }
  },
}

function canonical(input: string): string {
  const address = canonicalAddress(input)
  if (!input.includes('%') && ipaddr.isValid(address)) return address
  throw invalid('address', 'must be an IPv4 or IPv6 address')
}

const createDnsPeer: Handler<typeof declared.createDnsPeer> = {
  handle(ctx, { body }) {
    const addresses = [...new Set(body.address.map(canonical))]
    if (allPeers(ctx.db).some(({ name }) => name === body.name))
      throw new Problem('exists', `There is a DNS peer ${body.name} already.`, { name: 'is taken; choose another' })
    const secret = newSecret()
    const peer = { id: ctx.id(), name: body.name, addresses, created_at: ctx.now }
    ctx.db
      .insert(peers)
      .values({ ...peer, secret: ctx.runtime.seal(purpose, secret), node: null, told: null })
      .run()
    noteChanges(ctx.db, false)
    ctx.note({ object_id: peer.id, after: { name: peer.name, addresses } })
    const job_id = ctx.enqueue(applyServerJob)
    return { peer: toPeer(peer), ...configurationOf({ name: peer.name, secret, ...primaryIn(ctx.db) }), job_id }
  },
}

const deleteDnsPeer: Handler<typeof declared.deleteDnsPeer> = {
  handle(ctx) {
    const { peer } = ctx.found
    ctx.db.delete(peers).where(eq(peers.id, peer.id)).run()
    ctx.note({ object_id: peer.id, before: { name: peer.name } })
    ctx.enqueue(applyServerJob)
    return undefined
  },
}

export const peerOperations = { listDnsPeers, createDnsPeer, deleteDnsPeer }
