import { getSetting, setSetting } from '../../../runtime/settings/settings.ts'
import { localNode } from '../../../shared/node-name.ts'
import type { Db } from '../../../store/open.ts'

declare module '../../../runtime/settings/settings.ts' {
  interface Settings {
    /** The digest of the server's own names as last applied to the host. */
    server_applied: string
    /** The same for other nodes, by node. */
    nodes_applied: Record<string, string>
  }
}

/** What was last applied to a host for its machine's names; undefined if nothing was. */
export const reportedTo = (db: Db, node: string): string | undefined =>
  node === localNode ? getSetting(db, 'server_applied') : getSetting(db, 'nodes_applied')?.[node]

export function noteReported(db: Db, node: string, digest: string): void {
  if (node === localNode) setSetting(db, 'server_applied', digest)
  else setSetting(db, 'nodes_applied', { ...getSetting(db, 'nodes_applied'), [node]: digest })
}
