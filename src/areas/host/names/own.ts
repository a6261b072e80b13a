import { eq } from 'drizzle-orm'
import type { HostClient } from '../../../host/contract/client.ts'
import type { Lookups } from '../../../outgoing/lookups.ts'
import type { Outside } from '../../../runtime/areas/area.ts'
import { JobError } from '../../../runtime/jobs/job-kind.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { ServerCertificate } from '../../../runtime/security/server-certificate.ts'
import { serverNames } from '../../../runtime/settings/server-names.ts'
import type { JobRow } from '../../../runtime/tables.ts'
import { localNode } from '../../../shared/node-name.ts'
import type { Db } from '../../../store/open.ts'
import { domains } from '../../domains/tables.ts'
import { allNodes, nodeByName } from '../../nodes/store.ts'
import type { NameState } from './state.ts'

/** A machine's own names, with everything that applying them needs. */
export interface Own extends NameState {
  readonly client: HostClient
  readonly lookups: Lookups
}

type Reached = Pick<Outside, 'fleet' | 'certificate' | 'nodeCertificates' | 'lookups'>

const reached = new WeakMap<Runtime, Reached>()

/** Makes them available to hooks and operations. */
export const rememberOwn = (runtime: Runtime, outside: Reached): void => void reached.set(runtime, outside)

/** The names of the server's machine or of a node's; undefined for a node that does not report its host name. */
export function ownOf(runtime: Runtime, node: string): Own | undefined {
  if (node === localNode) return ownOfServer(runtime)
  const { hostname, fingerprint, state } = nodeByName(runtime.store.db, node) ?? {}
  if (!hostname || !fingerprint || state === 'retired' || isDomain(runtime.store.db, hostname)) return undefined
  const { fleet, nodeCertificates, lookups } = reached.get(runtime)!
  const names = () => ({ panel: hostname, webmail: `webmail.${hostname}`, phpmyadmin: `phpmyadmin.${hostname}` })
  const certificate = nodeCertificates.of(fingerprint, names)
  return { runtime, node, names, lookups, client: fleet.driverOf(node), certificate }
}

export function ownOfServer(runtime: Runtime): Own {
  const { fleet, certificate, lookups } = reached.get(runtime)!
  const names = () => serverNames(runtime.store.db, runtime.hostname)
  const client = fleet.driverOf(localNode)
  const ofPreviews = (hostname: string) => previewCertificate(runtime, hostname)
  return { runtime, node: localNode, names, lookups, client, certificate, previewCertificate: ofPreviews }
}

/** The wildcard certificate of previews, whose names lead to the server's machine alone. */
export function previewCertificate(runtime: Runtime, hostname: string): ServerCertificate {
  const name = `*.${hostname}`
  return reached.get(runtime)!.nodeCertificates.of('previews', () => ({ panel: name, webmail: name, phpmyadmin: name }))
}

export function ownOfJob(runtime: Runtime, { node }: JobRow): Own {
  const own = ownOf(runtime, node)
  if (!own) throw new JobError(`Node ${node} has no name of its own any more.`, true)
  return own
}

/** Undefined if the machine is unreachable now. */
export const ownOfLive = (runtime: Runtime, node: string): Own | undefined =>
  runtime.nodes.why(node) === undefined ? ownOf(runtime, node) : undefined

/** Of the machines that are reachable now. */
export const allOwn = (runtime: Runtime): Own[] =>
  allNodes(runtime.store.db).flatMap(({ name }) => ownOfLive(runtime, name) ?? [])

/** Deletes the certificates of machines that were deleted, revoked or replaced. */
export function dropFormerCertificates(runtime: Runtime): void {
  const machines = allNodes(runtime.store.db).flatMap(({ fingerprint }) => fingerprint ?? [])
  reached.get(runtime)!.nodeCertificates.dropOthers(machines)
}

/** If an account has a domain of the machine's name, the domain takes precedence. */
const isDomain = (db: Db, name: string): boolean =>
  db.select({ id: domains.id }).from(domains).where(eq(domains.name, name)).get() !== undefined
