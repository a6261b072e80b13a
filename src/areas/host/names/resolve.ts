import { networkInterfaces } from 'node:os'
import type { Lookups } from '../../../outgoing/lookups.ts'
import { canonicalAddress } from '../../../runtime/operations/address.ts'
import { previewHostname } from '../../../runtime/settings/server-names.ts'
import { localNode } from '../../../shared/node-name.ts'
import type { Db } from '../../../store/open.ts'
import { ips } from '../../ips/tables.ts'
import { addressesElsewhere, addressesOf as nodeAddresses } from '../../nodes/addresses.ts'
import type { Own } from './own.ts'

/** One of the server's own names, with its addresses in public DNS. */
export interface ResolvedName {
  readonly name: string
  readonly use: 'panel' | 'webmail' | 'phpmyadmin' | 'preview'
  readonly addresses: readonly string[]
  /** Whether one of the addresses is this machine's. */
  readonly isLocal: boolean
}

/** Resolves all names of a machine; a name that cannot be resolved has no addresses. */
export async function resolveNames({ runtime, node, names, lookups }: Own): Promise<ResolvedName[]> {
  const { db } = runtime.store
  const own = node === localNode ? ownAddresses(db) : addressesOfNode(db, node)
  const uses = Object.entries(names()) as [ResolvedName['use'], string][]
  return Promise.all(
    uses.map(async ([use, name]) => {
      const addresses = await addressesOf(lookups, name)
      return { name, use, addresses, isLocal: addresses.some((one) => own.has(one)) }
    }),
  )
}

/** The wildcard of previews, as any name below it resolves; none unless the server has previews. */
export async function resolvePreview({ runtime, node, lookups }: Own): Promise<ResolvedName[]> {
  const { db } = runtime.store
  const hostname = node === localNode ? previewHostname(db) : undefined
  if (hostname === undefined) return []
  const addresses = await addressesOf(lookups, `preview.${hostname}`)
  const isLocal = addresses.some((one) => ownAddresses(db).has(one))
  return [{ name: `*.${hostname}`, use: 'preview', addresses, isLocal }]
}

/** A name without a dot cannot be resolved publicly. */
async function addressesOf(lookups: Lookups, name: string): Promise<readonly string[]> {
  if (!name.includes('.')) return []
  const found = await lookups.addresses(name).catch(() => [])
  return [...new Set(found.map(canonicalAddress))].sort()
}

/** The addresses that accounts can have, which a router in front may hold, and the machine's own. */
function ownAddresses(db: Db): ReadonlySet<string> {
  const elsewhere = addressesElsewhere(db, localNode)
  const all = db.select({ address: ips.address, main: ips.main }).from(ips).all()
  const listed = all.filter(({ address, main }) => main || !elsewhere.includes(address))
  const ofMachine = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  const outside = ofMachine.filter(({ internal }) => !internal)
  return new Set([...listed, ...outside].map(({ address }) => canonicalAddress(address)))
}

const addressesOfNode = (db: Db, node: string): ReadonlySet<string> =>
  new Set(nodeAddresses(db, node).map(({ address }) => address))

/** The address for the DNS records of a machine's names. */
export const mainAddress = (db: Db, node: string): string | undefined =>
  node === localNode ? mainOfServer(db) : nodeAddresses(db, node)[0]?.address

const mainOfServer = (db: Db): string | undefined =>
  db
    .select()
    .from(ips)
    .all()
    .find(({ main }) => main)?.address
