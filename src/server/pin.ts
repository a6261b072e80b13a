import { hash, X509Certificate } from 'node:crypto'

/** SHA-256 of a self-signed certificate's public key, in hexadecimal: clients that know it need no other proof. */
export function pinOf(cert: string): string | undefined {
  const leaf = new X509Certificate(cert)
  return leaf.checkIssued(leaf) ? hash('sha256', leaf.publicKey.export({ type: 'spki', format: 'der' })) : undefined
}
