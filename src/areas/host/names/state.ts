import type { ServerState, TlsChallenge } from '../../../host/contract/driver.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { ServerCertificate } from '../../../runtime/security/server-certificate.ts'
import { isFront, type ServerNames } from '../../../runtime/settings/server-names.ts'
import { localNode } from '../../../shared/node-name.ts'

/** A machine with names of its own, and its certificate. */
export interface Named {
  readonly runtime: Runtime
  readonly certificate: ServerCertificate
  readonly node: string
  readonly names: () => ServerNames
}

/** The desired state of what no account owns. The panel itself is served only on its own node. */
export async function serverState(
  { runtime, certificate, node, names }: Named,
  challenges: readonly TlsChallenge[] = [],
  isLook = false,
): Promise<ServerState> {
  const { cert: certificatePem, key: keyPem } = await certificate.current()
  const { panel, webmail, phpmyadmin } = names()
  const isLocal = node === localNode
  const front = isLocal && isFront(runtime.store)
  const state = { hostname: panel, webmail, phpmyadmin, front, certificate: { certificatePem, keyPem }, challenges }
  if (!isLocal) return { ...state, namesOnly: true }
  for (const { ofServer } of runtime.areas) Object.assign(state, await ofServer?.(runtime, isLook))
  return state
}
