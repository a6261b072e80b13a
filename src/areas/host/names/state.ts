import type { ServerState, TlsChallenge } from '../../../host/contract/driver.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { ServerCertificate } from '../../../runtime/security/server-certificate.ts'
import { isFront, previewHostname, type ServerNames } from '../../../runtime/settings/server-names.ts'
import { getSetting } from '../../../runtime/settings/settings.ts'
import { localNode } from '../../../shared/node-name.ts'

/** A machine with names of its own, and its certificate. */
export interface NameState {
  readonly runtime: Runtime
  readonly certificate: ServerCertificate
  readonly node: string
  readonly names: () => ServerNames
  /** The wildcard certificate of previews. */
  readonly previewCertificate?: (hostname: string) => ServerCertificate
}

/** The desired state of what no account owns. The panel itself is served only on its own node. */
export async function serverState(
  { runtime, certificate, node, names, previewCertificate }: NameState,
  challenges: readonly TlsChallenge[] = [],
  isLook = false,
): Promise<ServerState> {
  const { cert: certificatePem, key: keyPem } = await certificate.current()
  const { panel, webmail, phpmyadmin } = names()
  const isLocal = node === localNode
  const front = isLocal && isFront(runtime.store)
  const contactEmail = contactOf(runtime, panel)
  const own = { hostname: panel, webmail, phpmyadmin, front, certificate: { certificatePem, keyPem }, challenges }
  const state = { ...own, ...(contactEmail !== undefined && { contactEmail }) }
  for (const { ofMachine } of runtime.areas) Object.assign(state, ofMachine?.(runtime))
  if (!isLocal) return { ...state, namesOnly: true }
  const hostname = previewHostname(runtime.store.db)
  if (hostname !== undefined && previewCertificate) {
    const { cert, key } = await previewCertificate(hostname).current()
    Object.assign(state, { preview: { hostname, certificate: { certificatePem: cert, keyPem: key } } })
  }
  for (const { ofServer } of runtime.areas) Object.assign(state, await ofServer?.(runtime, isLook))
  return state
}

/** An address at the server's own name would lead back to itself. */
function contactOf({ store: { db } }: Runtime, hostname: string): string | undefined {
  const address = getSetting(db, 'server_contact_email') ?? getSetting(db, 'acme_contact_email') ?? undefined
  return address?.toLowerCase().endsWith(`@${hostname}`) ? undefined : address
}
