import 'reflect-metadata'
import { createPrivateKey, createPublicKey, randomBytes, webcrypto, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import * as x509 from '@peculiar/x509'
import { writePrivate } from '../shared/files.ts'

x509.cryptoProvider.set(webcrypto as never)

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const lifetime = 397 * 24 * 3_600_000
const renewBefore = 30 * 24 * 3_600_000

export interface KeyPair {
  readonly cert: string
  readonly key: string
}

/**
 * The server's own certificate below `<data-dir>/tls/`, for its hostname and loopback. A new one is signed with the
 * same key when the hostname or the validity no longer fits, so that a pinned key stays right.
 */
export async function ownCertificate(directory: string, hostname: string, now: number): Promise<KeyPair> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const files = { key: join(directory, 'key.pem'), cert: join(directory, 'cert.pem') }
  if (!existsSync(files.key)) writePrivate(files.key, await newKey())
  const key = readFileSync(files.key, 'utf8')
  const cert = existsSync(files.cert) ? readFileSync(files.cert, 'utf8') : undefined
  if (cert && fits(cert, key, hostname, now)) return { key, cert }
  const fresh = await sign(key, hostname, now)
  writePrivate(files.cert, fresh)
  return { key, cert: fresh }
}

async function newKey(): Promise<string> {
  const pair = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair
  return pem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', pair.privateKey))
}

const pem = (label: string, der: ArrayBuffer): string => x509.PemConverter.encode(der, label).trim().concat('\n')

function fits(cert: string, key: string, hostname: string, now: number): boolean {
  try {
    const known = new X509Certificate(cert)
    const covers =
      namesOf(hostname).every((name) => known.checkHost(name)) && addressesOf(hostname).every((ip) => known.checkIP(ip))
    return (
      covers &&
      known.checkPrivateKey(createPrivateKey(key)) &&
      Date.parse(known.validTo) - renewBefore > now &&
      Date.parse(known.validFrom) <= now
    )
  } catch {
    return false
  }
}

const namesOf = (hostname: string): string[] => [...new Set([hostname, 'localhost'])].filter((name) => !isIP(name))
const addressesOf = (hostname: string): string[] =>
  [...new Set([hostname, '127.0.0.1', '::1'])].filter((name) => isIP(name))

async function sign(keyPem: string, hostname: string, now: number): Promise<string> {
  const keys = await importKeys(keyPem)
  const dns = namesOf(hostname).map((value) => ({ type: 'dns', value }) as const)
  const ip = addressesOf(hostname).map((value) => ({ type: 'ip', value }) as const)
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: `00${randomBytes(15).toString('hex')}`,
    name: [{ CN: [hostname.slice(0, 64)] }],
    notBefore: new Date(now - 3_600_000),
    notAfter: new Date(now + lifetime),
    signingAlgorithm: algorithm,
    keys: keys as never,
    extensions: [
      // A client that trusts this certificate alone takes it for its own authority.
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
