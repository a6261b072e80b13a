import type { ServerState, TlsChallenge } from '../../../host/driver.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { ServerCertificate } from '../../../runtime/server-certificate.ts'
import { isFront, type ServerNames } from '../../../runtime/server-names.ts'
import { localNode } from '../../../shared/node-name.ts'

/** A machine with names of its own, and what shows there. */
export interface Named {
  readonly runtime: Runtime
  readonly certificate: ServerCertificate
  readonly node: string
  readonly names: () => ServerNames
}

/** What no account owns, as the host is to have it. The panel itself is served on its own node alone. */
export async function serverState(
  { runtime, certificate, node, names }: Named,
  challenges: readonly TlsChallenge[] = [],
  isLook = false,
): Promise<ServerState> {
  const { cert: certificatePem, key: keyPem } = await certificate.current()
  const { panel, webmail, phpmyadmin } = names()
  const isLocal = node === localNode
  const front = isLocal && isFront(runtime.store)
  const told = { hostname: panel, webmail, phpmyadmin, front, certificate: { certificatePem, keyPem }, challenges }
  if (!isLocal) return { ...told, namesOnly: true }
  for (const { ofServer } of runtime.areas) Object.assign(told, await ofServer?.(runtime, isLook))
  return told
}
