import type { ServerState, TlsChallenge } from '../../../host/driver.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { ServerCertificate } from '../../../runtime/server-certificate.ts'
import { isFront, serverNames } from '../../../runtime/server-names.ts'

/** What no account owns, as the host is to have it. */
export async function serverState(
  { store, hostname }: Pick<Runtime, 'store' | 'hostname'>,
  certificate: ServerCertificate,
  challenges: readonly TlsChallenge[] = [],
): Promise<ServerState> {
  const { cert: certificatePem, key: keyPem } = await certificate.current()
  const { panel, webmail, phpmyadmin } = serverNames(store.db, hostname)
  const front = isFront(store.db)
  return { hostname: panel, webmail, phpmyadmin, front, certificate: { certificatePem, keyPem }, challenges }
}
