import type { ServerState } from '../../../host/contract/driver.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { addressesOf } from '../../nodes/addresses.ts'
import { catalogsOf, catalogsSeen } from './catalogs.ts'
import { purpose } from './primary.ts'
import { allPeers, hasCatalogs } from './store.ts'

/** What external name servers transfer from here, for the host's desired state. */
export async function peersOfServer(runtime: Runtime, isLook: boolean): Promise<Partial<ServerState>> {
  const { db } = runtime.store
  if (!hasCatalogs(db)) return {}
  const rows = allPeers(db)
  const readCatalogs = isLook ? catalogsSeen : catalogsOf
  const catalogs = rows.length > 0 ? await readCatalogs(runtime) : []
  const peers = rows.map(({ name, node, addresses, secret }) => ({
    name,
    addresses: node === null ? addresses : addressesOf(db, node).map(({ address }) => address),
    secret: runtime.unseal(purpose, secret),
  }))
  return { dns: { peers, catalogs } }
}
