import { X509Certificate } from 'node:crypto'
import type { Runtime } from '../../../runtime/runtime.ts'
import { ownOf } from './apply.ts'
import { attemptsOf } from './attempts.ts'
import { mainAddress, type ResolvedName, resolveNames } from './resolve.ts'

/** The server's own names, and the certificate that is shown there. */
export interface SeenNames {
  /** Absent where name servers do not answer in time. */
  readonly names?: readonly ResolvedName[] | undefined
  readonly certificate: {
    readonly kind: 'self_signed' | 'acme'
    readonly names: readonly string[]
    readonly not_after: number
    readonly error?: string
    readonly next_attempt_at?: number
  }
}

/** A caller waits no longer for name servers. */
const patience = 3_000

export async function seeNames(runtime: Runtime): Promise<SeenNames> {
  const [names, certificate] = await Promise.all([inTime(runtime), certificateOf(runtime)])
  return { names, certificate }
}

function inTime(runtime: Runtime): Promise<ResolvedName[] | undefined> {
  return new Promise((resolve) => {
    const cancel = runtime.clock.after(patience, () => resolve(undefined))
    void resolveNames(runtime, ownOf(runtime).lookups).then((names) => {
      cancel()
      resolve(names)
    })
  })
}

async function certificateOf(runtime: Runtime): Promise<SeenNames['certificate']> {
  const { kind, cert } = await ownOf(runtime).certificate.current()
  const { subjectAltName = '', validTo } = new X509Certificate(cert)
  const names = subjectAltName.split(', ').flatMap((name) => (name.startsWith('DNS:') ? [name.slice(4)] : []))
  const failed = attemptsOf(runtime.store.db)
  const attempt = failed && { error: failed.error, next_attempt_at: failed.next_attempt_at }
  return { kind, names, not_after: Date.parse(validTo), ...attempt }
}

/** As the API tells of them: `record` is what leads a name here. */
export const shownNames = ({ store }: Runtime, { names, certificate }: SeenNames) => {
  const address = mainAddress(store.db)
  const type = address?.includes(':') ? ('AAAA' as const) : ('A' as const)
  const one = ({ name, use, addresses, here }: ResolvedName) => ({
    name,
    use,
    addresses: [...addresses],
    resolves_here: here,
    record: `${name}. ${type} ${address}`,
  })
  return {
    ...(names && { names: names.map(one) }),
    certificate: { ...certificate, names: [...certificate.names] },
  }
}
