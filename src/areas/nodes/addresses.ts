import { isIP } from 'node:net'
import { canonicalAddress } from '../../runtime/operations/address.ts'
import { localNode } from '../../shared/node-name.ts'
import type { Db } from '../../store/open.ts'
import { allNodes, nodeByName } from './store.ts'
import type { NodeRow } from './tables.ts'

export interface NodeAddress {
  readonly address: string
  readonly version: 4 | 6
}

/** A node's IP addresses, in its configured order; host names are left out. */
export const addressesOf = (db: Db, name: string): NodeAddress[] => addressesIn(nodeByName(db, name)?.addresses ?? [])

/** The other machines' addresses, which no account on this node can have. */
export const addressesElsewhere = (db: Db, name: string): string[] =>
  allNodes(db)
    .filter((node: NodeRow) => node.name !== name && node.name !== localNode)
    .flatMap(({ addresses }) => addressesIn(addresses).map(({ address }) => address))

const addressesIn = (addresses: readonly string[]): NodeAddress[] =>
  addresses.map(canonicalAddress).flatMap((address) => {
    const version = isIP(address)
    return version === 4 || version === 6 ? [{ address, version }] : []
  })
