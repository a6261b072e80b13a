import { rootCertificates } from 'node:tls'
import { type Certificate, certificateOf, isRoot, signedBy } from './certificate.ts'
import { blocksOf } from './pem.ts'

/** A chain from the site's certificate up, without the root, and the unrelated certificates. */
export interface Chain {
  readonly certificates: readonly [Certificate, ...Certificate[]]
  readonly unrelated: readonly Certificate[]
}

/** Sorts certificates in any order; of several that signed one, those that are valid now come first. */
export function chainOf(leaf: Certificate, intermediates: readonly Certificate[], now: number): Chain {
  let left = intermediates.filter(
    (one, at) => !same(one, leaf) && intermediates.findIndex((other) => same(one, other)) === at,
  )
  const certificates: [Certificate, ...Certificate[]] = [leaf]
  const next = () => {
    const issuers = left.filter((one) => !isRoot(one) && issued(one, certificates.at(-1)!))
    return issuers.find((one) => isInTime(one, now)) ?? issuers[0]
  }
  for (let one = next(); one && !isRoot(certificates.at(-1)!); one = next()) {
    certificates.push(one)
    left = left.filter((other) => other !== one)
  }
  return { certificates, unrelated: left.filter((one) => !certificates.some((other) => issued(one, other))) }
}

const isInTime = ({ notBefore, notAfter }: Certificate, now: number): boolean => notBefore <= now && now < notAfter
const same = (one: Certificate, other: Certificate): boolean => one.node.raw.equals(other.node.raw)
const issued = (issuer: Certificate, one: Certificate): boolean => issuer.node.ca && signedBy(one, issuer)

let known: ReadonlyMap<string, readonly Certificate[]> | undefined

/** The roots that Node ships, by subject. */
function knownRoots(): ReadonlyMap<string, readonly Certificate[]> {
  if (known) return known
  const roots = rootCertificates.flatMap((pem) => certificateOf(blocksOf('root', pem)[0]!.der) ?? [])
  const bySubject = new Map<string, Certificate[]>()
  for (const root of roots) bySubject.set(root.node.subject, [...(bySubject.get(root.node.subject) ?? []), root])
  known = bySubject
  return known
}

/** Whether a chain ends at a well-known root. */
export function isTrusted(certificates: readonly Certificate[], now: number): boolean {
  const last = certificates.at(-1)!
  const inTime = certificates.every((one) => isInTime(one, now))
  return inTime && (knownRoots().get(last.node.issuer) ?? []).some((root) => signedBy(last, root))
}
