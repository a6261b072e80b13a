import { existsSync, readFileSync } from 'node:fs'
import type { PeerCertificate, TLSSocket } from 'node:tls'
import { day } from '../../../shared/time.ts'
import { bad, type Check, ok, warn } from './check.ts'

/** A listener that should have a certificate for a name. */
export interface Listener {
  readonly host: string
  readonly port: number
  readonly name: string
  /** The authorities to trust; Node's by default. */
  readonly ca?: readonly (Buffer | string)[]
  /** Why it needs no authority. */
  readonly known?: 'by key' | 'as ours'
}

const CONNECT_TIMEOUT_MS = 5000

/** Checks that a server's certificate matches its name, is trusted, and does not expire soon. */
export async function certificateCheck(listener: Listener): Promise<Check> {
  const seen = await look(listener)
  if (typeof seen === 'string') return noCertificate(listener, seen)
  const days = Math.floor((Date.parse(seen.certificate.valid_to) - Date.now()) / day)
  if (days < 0) return bad('certificate', `The certificate has expired (${seen.certificate.valid_to}).`, renew)
  if (seen.mismatch) return bad('certificate', `The certificate is not for ${listener.name}: ${seen.mismatch}.`, renew)
  const lasting =
    days < 14
      ? warn('certificate', `The certificate expires in ${days} days.`, renew)
      : ok('certificate', `The certificate is for ${listener.name} and lasts ${days} more days.`)
  return (seen.doubt && lasting.status === 'ok' && untrusted(listener, seen.doubt)) || lasting
}

const renew = 'systemctl restart panel'

const noCertificate = ({ host, port }: Listener, reason: string): Check =>
  warn('certificate', `${host}:${port} shows no certificate (${reason}).`, `openssl s_client -connect ${host}:${port}`)

/** On this machine the certificate needs no authority, but other machines will check it. */
function untrusted({ known, name }: Listener, reason: string): Check | undefined {
  if (known === 'by key') return undefined
  if (known === 'as ours')
    return warn(
      'certificate',
      `No trusted authority has signed the certificate (${reason}).`,
      'put the whole chain in the file of --tls-cert',
    )
  return bad(
    'certificate',
    `The certificate of ${name} is not trusted (${reason}).`,
    'panel login pins its key, PANEL_CACERT names its certificate',
  )
}

interface Seen {
  readonly certificate: PeerCertificate
  readonly mismatch?: string
  readonly doubt?: string
}

function look({ host, port, name, ca }: Listener): Promise<Seen | string> {
  const tls = process.getBuiltinModule('node:tls')
  const { isIP } = process.getBuiltinModule('node:net')
  return new Promise((resolve) => {
    const socket = tls.connect({
      host,
      port,
      servername: isIP(name) ? '' : name,
      rejectUnauthorized: false,
      ...(ca && { ca: [...ca] }),
    })
    const end = (answer: Seen | string): void => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(CONNECT_TIMEOUT_MS, () => end('timeout'))
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
    socket.once('secureConnect', () => end(checked(socket, name)))
  })
}

function checked(socket: TLSSocket, name: string): Seen {
  const { checkServerIdentity } = process.getBuiltinModule('node:tls')
  const certificate = socket.getPeerCertificate()
  const mismatch = checkServerIdentity(name, certificate)?.message
  const doubt = socket.authorized ? undefined : String(socket.authorizationError)
  return { certificate, ...(mismatch && { mismatch }), ...(doubt && { doubt }) }
}

/** The local server's listener, at its own origin. */
export function localListener(origin: URL, certificate: string): Listener {
  const { rootCertificates } = process.getBuiltinModule('node:tls')
  const own = existsSync(certificate) ? [readFileSync(certificate)] : []
  const ca = [...own, ...rootCertificates]
  return { host: '127.0.0.1', port: Number(origin.port || 443), name: bare(origin), ca, known: 'as ours' }
}

export const bare = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '')
