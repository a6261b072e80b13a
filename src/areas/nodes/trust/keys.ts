import { createPublicKey, X509Certificate } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import type { PortCredentials } from '../../../host/contract/node-port.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { publicKeyHash } from '../../../shared/public-key.ts'
import type { Db } from '../../../store/open.ts'
import { type FleetKeyRow, fleetKeys } from './tables.ts'
import { lifetimes, newAuthority, newPortKey, nodeCertificate, type Pair, portCertificate } from './x509.ts'

/** The purpose that the fleet's keys are encrypted for. */
export const purpose = 'fleet key'

/** Creates the fleet's authority and the node port's key if they are missing. */
export async function ensureKeys(runtime: Runtime): Promise<void> {
  const { store, clock } = runtime
  if (current(store.db, 'authority') && current(store.db, 'port')) return
  const [authority, port] = [await newAuthority(clock.now()), await newPortKey()]
  await store.change(() => {
    if (!current(store.db, 'authority')) addAuthority(runtime, authority, 'current')
    if (!current(store.db, 'port')) add(runtime, { kind: 'port', state: 'current', key: port })
  })
}

/** Inside a change. */
export const addAuthority = (runtime: Runtime, { certificate, key }: Pair, state: 'current' | 'next'): void =>
  add(runtime, { kind: 'authority', state, key, certificate })

function add(
  runtime: Runtime,
  { key, certificate, ...row }: Pick<FleetKeyRow, 'kind' | 'state'> & { key: string; certificate?: string },
): void {
  const now = runtime.clock.now()
  const [private_key, id] = [runtime.seal(purpose, key), runtime.id()]
  const ends = certificate ? { certificate, not_after: now + lifetimes.authority } : {}
  runtime.store.db
    .insert(fleetKeys)
    .values({ ...row, ...ends, id, since: now, private_key })
    .run()
}

export const inState = (db: Db, kind: FleetKeyRow['kind'], state: FleetKeyRow['state']): FleetKeyRow | undefined =>
  db
    .select()
    .from(fleetKeys)
    .where(and(eq(fleetKeys.kind, kind), eq(fleetKeys.state, state)))
    .get()

const current = (db: Db, kind: FleetKeyRow['kind']): FleetKeyRow | undefined => inState(db, kind, 'current')

/** The certificates of all trusted authorities, in PEM. */
export const authoritiesOf = (db: Db): string[] =>
  db
    .select({ certificate: fleetKeys.certificate })
    .from(fleetKeys)
    .where(eq(fleetKeys.kind, 'authority'))
    .all()
    .flatMap(({ certificate }) => certificate ?? [])

/** SHA-256 of the control plane's public key. */
export const pinOf = (runtime: Runtime): string => publicKeyHash(createPublicKey(keyOf(runtime, 'port')))

const keyOf = (runtime: Runtime, kind: FleetKeyRow['kind']): string =>
  runtime.unseal(purpose, current(runtime.store.db, kind)!.private_key)

const authorityOf = (runtime: Runtime): Pair => ({
  certificate: current(runtime.store.db, 'authority')!.certificate!,
  key: keyOf(runtime, 'authority'),
})

/** The node port's key and certificate. */
export async function portCredentials(runtime: Runtime): Promise<PortCredentials> {
  const key = keyOf(runtime, 'port')
  return { key, cert: await portCertificate(authorityOf(runtime), key, runtime.clock.now()) }
}

/** A certificate for a node's public key. */
export const signNode = (runtime: Runtime, publicKey: Buffer, node: string): Promise<string> =>
  nodeCertificate(authorityOf(runtime), publicKey, node, runtime.clock.now())

/** A certificate's expiry. */
export const endOf = (certificate: string): number => Date.parse(new X509Certificate(certificate).validTo)

/** A new certificate for the same key, after two thirds of the old one's lifetime. */
export async function renewedAfter(runtime: Runtime, certificate: string, node: string): Promise<string | undefined> {
  const presented = new X509Certificate(certificate)
  const [from, to] = [Date.parse(presented.validFrom), Date.parse(presented.validTo)]
  if (runtime.clock.now() < from + ((to - from) * 2) / 3) return undefined
  return signNode(runtime, presented.publicKey.export({ type: 'spki', format: 'der' }), node)
}
