import { and, inArray, isNotNull, isNull, lt, lte } from 'drizzle-orm'
import type { Runtime } from '../../../runtime/runtime.ts'
import { day } from '../../../shared/time.ts'
import { whyAbsent } from '../retire.ts'
import { nodes } from '../tables.ts'
import { rotateAuthority } from '../trust/rotate.ts'
import type { Keeper } from './keeper.ts'
import { record, setNode } from './record.ts'

/** How long before its expiry to report a certificate that was not renewed. */
export const expiring = 14 * day

/** Reports expiring certificates and advances the authority's rotation; returns whether nodes must be told. */
export async function maintainFleet(runtime: Runtime): Promise<boolean> {
  await runtime.store.change(() => reportExpiring(runtime))
  return rotateAuthority(runtime)
}

function reportExpiring(runtime: Runtime): void {
  const { db } = runtime.store
  const now = runtime.clock.now()
  const due = and(
    isNotNull(nodes.fingerprint),
    isNull(nodes.expiry_told_at),
    lte(nodes.certificate_expires_at, now + expiring),
  )
  for (const { id, name, certificate_expires_at } of db.select().from(nodes).where(due).all()) {
    setNode(runtime, id, { expiry_told_at: now })
    const details = { name, expires_at: certificate_expires_at! }
    record(runtime, { type: 'node.certificate_expiring', object_id: id, details })
  }
}

/** Marks nodes as down that have not reconnected since the server started. */
export function reportUnreachable(runtime: Runtime, keeper: Keeper, started: number): void {
  const { store, log } = runtime
  const before = and(isNotNull(nodes.fingerprint), lt(nodes.joined_at, started))
  const joined = and(before, isNull(nodes.down_at), inArray(nodes.state, ['active', 'draining']))
  const reported = store.change(() => {
    for (const node of store.db.select().from(nodes).where(joined).all())
      if (!keeper.isLinked(node.name)) keeper.down(node, runtime.nodes.why(node.name) ?? whyAbsent(node))
  })
  reported.catch((error: unknown) => log.error({ err: error }, 'absent nodes could not be written down'))
}
