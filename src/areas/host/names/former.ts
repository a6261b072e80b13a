import type { Runtime } from '../../../runtime/runtime.ts'
import { getSetting, type Settings, setSetting } from '../../../runtime/settings/settings.ts'
import type { Db } from '../../../store/open.ts'
import { allNodes } from '../../nodes/store.ts'

/** Inside a change: forgets deleted nodes, since another node may get the same name. */
export function forgetFormer({ store: { db } }: Runtime): void {
  const nodes = new Set(allNodes(db).map(({ name }) => name))
  keepOf(db, 'nodes_applied', nodes)
  keepOf(db, 'node_certificates_failed', nodes)
}

type ByNode = 'nodes_applied' | 'node_certificates_failed'

function keepOf<K extends ByNode>(db: Db, setting: K, nodes: ReadonlySet<string>): void {
  const all = Object.entries(getSetting(db, setting) ?? {})
  const remaining = all.filter(([node]) => nodes.has(node))
  if (remaining.length < all.length) setSetting(db, setting, Object.fromEntries(remaining) as Settings[K])
}
