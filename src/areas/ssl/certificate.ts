import { type KeyObject, X509Certificate } from 'node:crypto'
import { pemOf } from './pem.ts'
import { x509 } from './x509.ts'

export interface Certificate {
  readonly node: X509Certificate
  /** DNS names, lower-case. */
  readonly names: readonly string[]
  readonly notBefore: number
  readonly notAfter: number
  readonly subject: string
  readonly issuer: string
  /** In hexadecimal. */
  readonly serialNumber: string
}

/** Parses a DER certificate; undefined for anything else, or with trailing bytes. */
export function certificateOf(der: Buffer): Certificate | undefined {
  try {
    const node = new X509Certificate(der)
    if (!node.raw.equals(der)) return undefined
    const parsed = new x509.X509Certificate(new Uint8Array(der))
    const { notBefore, notAfter, subject, issuer, serialNumber } = parsed
    const valid = { notBefore: notBefore.getTime(), notAfter: notAfter.getTime() }
    return { node, names: namesOf(parsed), ...valid, subject, issuer, serialNumber }
  } catch {
    return undefined
  }
}

/** The certificates in a PKCS #7 bundle. */
export function certificatesOfBundle(der: Buffer): Certificate[] {
  try {
    const raw = [...new x509.X509Certificates(new Uint8Array(der))]
    return raw.flatMap((one) => certificateOf(Buffer.from(one.rawData)) ?? [])
  } catch {
    return []
  }
}

/** The first DER value of several: a trusted certificate is followed by what openssl trusts it for. */
export function firstValue(der: Buffer): Buffer {
  const lengthBytes = der[1]! & 0x80 ? der[1]! & 0x7f : 0
  const length = lengthBytes === 0 || lengthBytes > 4 ? (der[1] ?? 0) : der.subarray(2).readUIntBE(0, lengthBytes)
  return der.subarray(0, 2 + lengthBytes + length)
}

function namesOf(parsed: x509.X509Certificate): string[] {
  const extension = parsed.getExtension(x509.SubjectAlternativeNameExtension)
  const names = extension?.names.items.filter(({ type }) => type === 'dns') ?? []
  return [...new Set(names.map(({ value }) => value.toLowerCase()))]
}

export const pemOfCertificate = ({ node }: Certificate): string => pemOf('CERTIFICATE', node.raw)

/** Whether a certificate's names cover a name; a wildcard matches exactly one label. */
export function covers(names: readonly string[], name: string): boolean {
  const [first, ...rest] = name.split('.')
  return names.includes(name) || (first !== '*' && names.includes(['*', ...rest].join('.')))
}

const curves: Readonly<Record<string, string>> = { prime256v1: 'ec-p256', secp384r1: 'ec-p384' }

/** The API's name of a key's type; undefined for one that sites may not have. */
export function keyTypeOf(key: KeyObject): string | undefined {
  const { asymmetricKeyType, asymmetricKeyDetails: details } = key
  if (asymmetricKeyType === 'rsa') return `rsa-${details?.modulusLength}`
  return asymmetricKeyType === 'ec' ? curves[details?.namedCurve ?? ''] : undefined
}

/** Why a key is unacceptable, undefined if it is fine. */
export function keyProblem(key: KeyObject): string | undefined {
  const type = keyTypeOf(key)
  if (type === undefined) return 'its key must be RSA, or EC on the curve P-256 or P-384'
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 2048
  return bits < 2048 || bits > 4096 ? `its RSA key has ${bits} bits; it must have 2048 to 4096` : undefined
}

const strong = new Set(['SHA-256', 'SHA-384', 'SHA-512'])
const withoutHash = new Set(['Ed25519', 'Ed448', 'EdDSA'])

/** Whether its signature uses a hash that clients still accept. */
export function signedWell({ node }: Certificate): boolean {
  const { signatureAlgorithm } = new x509.X509Certificate(new Uint8Array(node.raw))
  const { name, hash } = signatureAlgorithm as { name: string; hash?: { name: string } | string }
  const hashName = typeof hash === 'string' ? hash : hash?.name
  return strong.has(hashName ?? '') || withoutHash.has(name)
}

/** Whether one is issued and signed by the other. */
export const signedBy = (one: Certificate, other: Certificate): boolean =>
  one.node.issuer === other.node.subject && one.node.verify(other.node.publicKey)

/** Whether it is self-signed. */
export const isRoot = (one: Certificate): boolean => signedBy(one, one)
