import { day } from '../shared/time.ts'
import 'reflect-metadata'
import { createPrivateKey, createPublicKey, randomBytes, webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

x509.cryptoProvider.set(webcrypto as never)

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const lifetime = 397 * day

/** A new private key, as PEM. */
export async function newKey(): Promise<string> {
  const pair = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair
  return pem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', pair.privateKey))
}

const pem = (label: string, der: ArrayBuffer): string => x509.PemConverter.encode(der, label).trim().concat('\n')

export interface Names {
  readonly dns: readonly string[]
  readonly ip: readonly string[]
}

/** A self-signed certificate for these names. */
export async function sign(keyPem: string, hostname: string, names: Names, now: number): Promise<string> {
  const keys = await importKeys(keyPem)
  const dns = names.dns.map((value) => ({ type: 'dns', value }) as const)
  const ip = names.ip.map((value) => ({ type: 'ip', value }) as const)
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: `00${randomBytes(15).toString('hex')}`,
    name: [{ CN: [hostname.slice(0, 64)] }],
    notBefore: new Date(now - 3_600_000),
    notAfter: new Date(now + lifetime),
    signingAlgorithm: algorithm,
    keys: keys as never,
    extensions: [
      // A client that trusts only this certificate uses it as its own authority.
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature | x509.KeyUsageFlags.keyCertSign, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([...dns, ...ip]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey as never),
      await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey as never),
    ],
  })
  return `${certificate.toString('pem')}\n`
}

async function importKeys(keyPem: string): Promise<webcrypto.CryptoKeyPair> {
  const { subtle } = webcrypto
  const privateKey = createPrivateKey(keyPem)
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' })
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  return {
    privateKey: await subtle.importKey('pkcs8', pkcs8, algorithm, true, ['sign']),
    publicKey: await subtle.importKey('spki', spki, algorithm, true, ['verify']),
  }
}
