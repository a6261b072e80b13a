import { X509Certificate } from 'node:crypto'

/** The two ends of a link that a fleet certificate can be for. */
export const uses = { node: '1.3.6.1.5.5.7.3.2', 'control plane': '1.3.6.1.5.5.7.3.1' } as const
export type KeyUse = keyof typeof uses

interface Expected {
  readonly authorities: readonly string[]
  readonly use: KeyUse
  readonly now: number
}

/** Why a certificate is not acceptable, in one sentence; undefined if it is. */
export function certificateError(
  presented: X509Certificate | undefined,
  { authorities, use, now }: Expected,
): string | undefined {
  if (!presented) return `The ${use} showed no certificate.`
  if (!authorities.some((one) => isIssuedBy(presented, one)))
    return `The certificate of the ${use} was not issued by this fleet.`
  if (!(presented.keyUsage as readonly string[] | undefined)?.includes(uses[use]))
    return `The certificate is not one of a ${use}.`
  if (Date.parse(presented.validFrom) > now)
    return `The certificate of the ${use} is not valid yet: compare the clocks of both machines.`
  if (Date.parse(presented.validTo) <= now)
    return `The certificate of the ${use} expired on ${dayOf(presented.validTo)}.`
  return undefined
}

function isIssuedBy(presented: X509Certificate, authority: string): boolean {
  const issuer = new X509Certificate(authority)
  return issuer.ca && presented.checkIssued(issuer) && presented.verify(issuer.publicKey)
}

/** A certificate's fingerprint, from its PEM. */
export const digestOf = (certificate: string): string => new X509Certificate(certificate).fingerprint256

/** The name in its subject. */
export const commonNameOf = ({ subject }: X509Certificate): string | undefined => /^CN=(.*)$/m.exec(subject)?.[1]

const dayOf = (date: string): string => new Date(date).toISOString().slice(0, 10)
