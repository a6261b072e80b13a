import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

x509.cryptoProvider.set(webcrypto as never)

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** Creates a P-256 key, and a certificate request that names the node. */
export async function newKeyAndRequest(node: string): Promise<{ key: string; csr: string }> {
  const keys = (await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])) as webcrypto.CryptoKeyPair
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: [{ CN: [node] }],
    keys: keys as never,
    signingAlgorithm: algorithm,
  })
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey)
  return { key: `${x509.PemConverter.encode(pkcs8, 'PRIVATE KEY').trim()}\n`, csr: request.toString('pem') }
}
