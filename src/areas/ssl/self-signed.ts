import { createPublicKey, type KeyObject, randomBytes } from 'node:crypto'
import { day, hour } from '../../shared/time.ts'
import { signingKeys } from './key.ts'
import { x509 } from './x509.ts'

export const selfSignedLifetime = 397 * day

/** DER bytes of a certificate for these names, signed with its own key. */
export async function selfSigned(key: KeyObject, names: readonly string[], now: number): Promise<Buffer> {
  const { algorithm, keys } = await signingKeys(key, createPublicKey(key))
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: `00${randomBytes(15).toString('hex')}`,
    name: commonName(names),
    // A clock that is a little behind must take it too.
    notBefore: new Date(now - hour),
    notAfter: new Date(now - hour + selfSignedLifetime),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      alternativeNames(names),
    ],
  })
  return Buffer.from(certificate.rawData)
}

/** A common name has at most 64 characters; clients read the alternative names alone. */
export const commonName = (names: readonly string[]): x509.JsonName => {
  const short = names.find((name) => name.length <= 64)
  return short === undefined ? [] : [{ CN: [short] }]
}

export const alternativeNames = (names: readonly string[]): x509.SubjectAlternativeNameExtension =>
  new x509.SubjectAlternativeNameExtension(names.map((value) => ({ type: 'dns', value })))
