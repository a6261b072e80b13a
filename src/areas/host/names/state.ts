import type { ServerState, TlsChallenge } from '../../../host/driver.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { ServerCertificate } from '../../../runtime/server-certificate.ts'
import { isFront, serverNames } from '../../../runtime/server-names.ts'

/** What no account owns, as the host is to have it. */
export async function serverState(
  runtime: Runtime,
  certificate: ServerCertificate,
  challenges: readonly TlsChallenge[] = [],
  isLook = false,
): Promise<ServerState> {
  const { store, hostname } = runtime
  const { cert: certificatePem, key: keyPem } = await certificate.current()
  const { panel, webmail, phpmyadmin } = serverNames(store.db, hostname)
  const front = isFront(store)
  const told = { hostname: panel, webmail, phpmyadmin, front, certificate: { certificatePem, keyPem }, challenges }
  for (const { ofServer } of runtime.areas) Object.assign(told, await ofServer?.(runtime, isLook))
  return told
}
