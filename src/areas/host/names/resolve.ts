import { networkInterfaces } from 'node:os'
import type { Lookups } from '../../../outgoing/lookups.ts'
import { canonicalAddress } from '../../../runtime/address.ts'
import { localNode } from '../../../shared/node-name.ts'
import type { Db } from '../../../store/open.ts'
import { ips } from '../../ips/tables.ts'
import { addressesElsewhere, addressesOf as nodeAddresses } from '../../nodes/addresses.ts'
import type { Own } from './own.ts'

/** One of the server's own names, and where the world's name servers say it is. */
export interface ResolvedName {
  readonly name: string
  readonly use: 'panel' | 'webmail' | 'phpmyadmin'
  readonly addresses: readonly string[]
  /** Whether one of them is this machine's. */
  readonly here: boolean
}

/** Asks for all names of a machine; one of which nothing is known has no addresses. */
export async function resolveNames({ runtime, node, names, lookups }: Own): Promise<ResolvedName[]> {
  const { db } = runtime.store
  const own = node === localNode ? ownAddresses(db) : addressesOfNode(db, node)
  const uses = Object.entries(names()) as [ResolvedName['use'], string][]
  return Promise.all(
    uses.map(async ([use, name]) => {
      const addresses = await addressesOf(lookups, name)
      return { name, use, addresses, here: addresses.some((one) => own.has(one)) }
    }),
  )
}

/** A name without a dot is in no zone that anybody could ask for. */
async function addressesOf(lookups: Lookups, name: string): Promise<readonly string[]> {
  if (!name.includes('.')) return []
  const found = await lookups.addresses(name).catch(() => [])
  return [...new Set(found.map(canonicalAddress))].sort()
}

/** Those that accounts can have, which a router in front may hold, and those of the machine. */
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

/** The address that records of a machine's names are to have. */
export const mainAddress = (db: Db, node: string): string | undefined =>
  node === localNode ? mainOfServer(db) : nodeAddresses(db, node)[0]?.address

const mainOfServer = (db: Db): string | undefined =>
  db
    .select()
    .from(ips)
    .all()
    .find(({ main }) => main)?.address
