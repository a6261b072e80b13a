import { X509Certificate } from 'node:crypto'
import type { Runtime } from '../../../runtime/runtime.ts'
import { attemptsOf } from './attempts.ts'
import type { Own } from './own.ts'
import { mainAddress, type ResolvedName, resolveNames, resolvePreview } from './resolve.ts'

/** The server's own names, and the certificate served there. */
export interface SeenNames {
  /** Absent if name servers do not answer in time. */
  readonly names?: readonly ResolvedName[] | undefined
  readonly certificate: {
    readonly kind: 'self_signed' | 'acme'
    readonly names: readonly string[]
    readonly not_after: number
    readonly error?: string
    readonly next_attempt_at?: number
  }
}

/** How long a caller waits for name servers. */
const REPLY_TIMEOUT_MS = 3_000

export async function seeNames(own: Own): Promise<SeenNames> {
  const [names, certificate] = await Promise.all([inTime(own), certificateOf(own)])
  return { names, certificate }
}

function inTime(own: Own): Promise<ResolvedName[] | undefined> {
  return new Promise((resolve) => {
    const cancel = own.runtime.clock.after(REPLY_TIMEOUT_MS, () => resolve(undefined))
    void Promise.all([resolveNames(own), resolvePreview(own)]).then((names) => {
      cancel()
      resolve(names.flat())
    })
  })
}

async function certificateOf({ runtime, certificate, node }: Own): Promise<SeenNames['certificate']> {
  const { kind, cert } = await certificate.current()
  const { subjectAltName = '', validTo } = new X509Certificate(cert)
  const names = subjectAltName.split(', ').flatMap((name) => (name.startsWith('DNS:') ? [name.slice(4)] : []))
  const failed = attemptsOf(runtime.store.db, node)
  const attempt = failed && { error: failed.error, next_attempt_at: failed.next_attempt_at }
  return { kind, names, not_after: Date.parse(validTo), ...attempt }
}

/** As the API returns them: `record` is the DNS record that points a name here. */
export const namesView = ({ store }: Runtime, node: string, { names, certificate }: SeenNames) => {
  const address = mainAddress(store.db, node)
  const type = address?.includes(':') ? ('AAAA' as const) : ('A' as const)
  const one = ({ name, use, addresses, isLocal }: ResolvedName) => ({
    name,
    use,
    addresses: [...addresses],
    resolves_here: isLocal,
    record: `${name}. ${type} ${address}`,
  })
  return {
    ...(names && { names: names.map(one) }),
    certificate: { ...certificate, names: [...certificate.names] },
  }
}
