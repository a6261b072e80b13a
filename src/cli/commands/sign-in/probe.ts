import type { X509Certificate } from 'node:crypto'
import type { TLSSocket } from 'node:tls'
import { unreachable } from '../../errors.ts'
import { networkError } from '../../request/network.ts'
import { described, type PresentedKey } from '../../target/pin.ts'
import type { ServerTarget } from '../../target/target.ts'

const CONNECT_TIMEOUT_MS = 15_000

/** What a server presents before anything is sent, and why it is not trusted. */
export interface Probed extends PresentedKey {
  readonly doubt?: string
}

/** Connects, looks at the certificate, and hangs up. */
export function probe(target: ServerTarget, ca: Buffer | undefined): Promise<Probed> {
  return new Promise((resolve, reject) => {
    const socket = process
      .getBuiltinModule('node:tls')
      .connect({ ...addressOf(target.url), ca, rejectUnauthorized: false })
    const fail = (error: Error): void => {
      socket.destroy()
      reject(networkError(error, target))
    }
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => fail(Object.assign(new Error('timeout'), { code: 'ETIMEDOUT' })))
    socket.once('error', fail)
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate()
      if (!certificate) return fail(unreachable(`${target.label} shows no certificate`))
      resolve({ ...described(certificate), ...doubtOf(socket, certificate, target.url) })
      socket.destroy()
    })
  })
}

const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')

function addressOf(url: URL): { host: string; port: number; servername: string } {
  const host = hostOf(url)
  const { isIP } = process.getBuiltinModule('node:net')
  return { host, port: Number(url.port || 443), servername: isIP(host) ? '' : host }
}

/** Node verifies the chain; with rejection off, checking the host name is up to us. */
function doubtOf(socket: TLSSocket, certificate: X509Certificate, url: URL): { doubt?: string } {
  if (!socket.authorized) return { doubt: String(socket.authorizationError) }
  const host = hostOf(url)
  const fits = certificate.checkHost(host) ?? certificate.checkIP(host)
  return fits ? {} : { doubt: `it is not for ${host}` }
}
