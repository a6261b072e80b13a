import { getSetting, setSetting } from '../../../runtime/settings.ts'
import { localNode } from '../../../shared/node-name.ts'
import type { Db } from '../../../store/open.ts'

declare module '../../../runtime/settings.ts' {
  interface Settings {
    /** Of what the host was last told of the server's own names. */
    server_applied: string
    /** Of what other nodes were told of theirs, by node. */
    nodes_applied: Record<string, string>
  }
}

/** What a host was last told of the names of its machine; nothing where it never was. */
export const toldTo = (db: Db, node: string): string | undefined =>
  node === localNode ? getSetting(db, 'server_applied') : getSetting(db, 'nodes_applied')?.[node]

export function noteTold(db: Db, node: string, digest: string): void {
  if (node === localNode) setSetting(db, 'server_applied', digest)
  else setSetting(db, 'nodes_applied', { ...getSetting(db, 'nodes_applied'), [node]: digest })
}
