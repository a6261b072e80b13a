import 'reflect-metadata'
import { createPrivateKey, createPublicKey, randomBytes, webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import { day, hour } from '../../../shared/time.ts'

x509.cryptoProvider.set(webcrypto as never)

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** How long each is valid. */
export const lifetimes = { authority: 3650 * day, port: 3650 * day, node: 90 * day } as const

/** A certificate and its key, in PEM. */
export interface Pair {
  readonly certificate: string
  readonly key: string
}

type X509KeyPair = webcrypto.CryptoKeyPair

/** The fleet's own authority, which signs only for nodes and the control plane. */
export async function newAuthority(now: number): Promise<Pair> {
  const keys = await newKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(now, lifetimes.authority),
    name: [{ CN: [`panel fleet ${randomBytes(4).toString('hex')}`] }],
    keys: keys as never,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey as never),
    ],
  })
  return { certificate: certificate.toString('pem'), key: await pemOf(keys) }
}

/** A new key for the control plane, in PEM. */
export const newPortKey = async (): Promise<string> => pemOf(await newKeys())

/** Identifies the control plane. */
export async function portCertificate(authority: Pair, key: string, now: number): Promise<string> {
  const { publicKey } = await imported(key)
  return issue(authority, publicKey, 'panel', x509.ExtendedKeyUsage.serverAuth, validity(now, lifetimes.port))
}

/** Identifies a node. */
export async function nodeCertificate(authority: Pair, spki: Buffer, node: string, now: number): Promise<string> {
  const publicKey = await webcrypto.subtle.importKey('spki', spki, algorithm, true, ['verify'])
  return issue(authority, publicKey, node, x509.ExtendedKeyUsage.clientAuth, validity(now, lifetimes.node))
}

/** The public key of a signing request, as DER; undefined unless it is a valid request for a P-256 key. */
export async function requestedKey(csr: string): Promise<Buffer | undefined> {
  try {
    const request = new x509.Pkcs10CertificateRequest(csr)
    const key = createPublicKey({ key: Buffer.from(request.publicKey.rawData), format: 'der', type: 'spki' })
    const isP256 = key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
    return isP256 && (await request.verify()) ? Buffer.from(request.publicKey.rawData) : undefined
  } catch {
    return undefined
  }
}

async function issue(
  authority: Pair,
  publicKey: webcrypto.CryptoKey,
  name: string,
  usage: x509.ExtendedKeyUsage,
  times: ReturnType<typeof validity>,
): Promise<string> {
  const issuer = new x509.X509Certificate(authority.certificate)
  const { privateKey } = await imported(authority.key)
  const certificate = await x509.X509CertificateGenerator.create({
    ...times,
    subject: [{ CN: [name] }],
    issuer: issuer.subject,
    publicKey: publicKey as never,
    signingKey: privateKey as never,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([usage]),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  })
  return certificate.toString('pem')
}

/** Backdated for clocks that are slightly behind. */
const validity = (now: number, lifetime: number) => ({
  serialNumber: `00${randomBytes(15).toString('hex')}`,
  notBefore: new Date(now - hour),
  notAfter: new Date(now + lifetime),
})

const newKeys = async (): Promise<X509KeyPair> =>
  (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as X509KeyPair

async function pemOf({ privateKey }: X509KeyPair): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', privateKey)
  return `${x509.PemConverter.encode(der, 'PRIVATE KEY').trim()}\n`
}

async function imported(pem: string): Promise<X509KeyPair> {
  const { subtle } = webcrypto
  const key = createPrivateKey(pem)
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' })
  return {
    privateKey: await subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), algorithm, true, [
      'sign',
    ]),
    publicKey: await subtle.importKey('spki', spki, algorithm, true, ['verify']),
  }
}
