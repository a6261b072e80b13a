import { createPublicKey, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto'
import { day, hour } from '../../shared/time.ts'
import type { Certificate } from './certificate.ts'
import { bits, der, integer, nothing, octets, oid, sequence, set, text, time, truth } from './der.ts'

export const selfSignedLifetime = 397 * day

const signatures: Readonly<Record<string, Buffer>> = {
  ec: sequence(oid('1.2.840.10045.4.3.2')),
  rsa: sequence(oid('1.2.840.113549.1.1.11'), nothing()),
}

/** For sites without another certificate: every new account needs one, so it is written without a library. */
export function selfSigned(key: KeyObject, names: readonly string[], now: number): Certificate {
  // Clients with a slow clock must accept it. Certificates have no milliseconds.
  const notBefore = Math.floor((now - hour) / 1000) * 1000
  const serial = serialNumber()
  const algorithm = signatures[key.asymmetricKeyType!]!
  const notAfter = notBefore + selfSignedLifetime
  const signed = toBeSigned(key, { algorithm, serial, names, notBefore, notAfter })
  const node = new X509Certificate(sequence(signed, algorithm, bits(sign('sha256', signed, key))))
  const name = commonName(names)
  const subject = name === undefined ? '' : `CN=${name}`
  return { node, names, notBefore, notAfter, subject, issuer: subject, serialNumber: serial.toString('hex') }
}

/** Positive, and of constant length. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0]! & 0x3f) | 0x40
  return bytes
}

interface CertificateContent {
  readonly algorithm: Buffer
  readonly serial: Buffer
  readonly names: readonly string[]
  readonly notBefore: number
  readonly notAfter: number
}

const version3 = der(0xa0, integer(Buffer.of(2)))

function toBeSigned(key: KeyObject, { algorithm, serial, names, notBefore, notAfter }: CertificateContent): Buffer {
  const name = nameOf(names)
  const validity = sequence(time(notBefore), time(notAfter))
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' })
  return sequence(version3, integer(serial), algorithm, name, validity, name, publicKey, extensionsFor(names))
}

function nameOf(names: readonly string[]): Buffer {
  const name = commonName(names)
  return name === undefined ? sequence() : sequence(set(sequence(oid('2.5.4.3'), text(name))))
}

const extension = (id: string, value: Buffer, ...critical: Buffer[]): Buffer =>
  sequence(oid(id), ...critical, octets(value))

const noAuthority = extension('2.5.29.19', sequence(), truth())
const forSignatures = extension('2.5.29.15', bits(Buffer.of(0x80), 7), truth())
const forServers = extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1')))

function extensionsFor(names: readonly string[]): Buffer {
  const alternatives = extension('2.5.29.17', sequence(...names.map((name) => der(0x82, Buffer.from(name)))))
  return der(0xa3, sequence(noAuthority, forSignatures, forServers, alternatives))
}

/** A common name has at most 64 characters; clients only read the alternative names. */
export const commonName = (names: readonly string[]): string | undefined => names.find((name) => name.length <= 64)
