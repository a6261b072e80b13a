import type { KeyObject, X509Certificate } from 'node:crypto'

interface Asn1 {
  readonly value: unknown
}

interface Bag {
  readonly key?: unknown
  readonly cert?: unknown
  readonly asn1: Asn1
}

interface File {
  getBags(filter: { readonly bagType: string }): Readonly<Record<string, readonly Bag[] | undefined>>
}

/** What is used of node-forge. */
interface Forge {
  readonly asn1: { fromDer(bytes: string): Asn1; toDer(asn1: Asn1): { getBytes(): string } }
  readonly pkcs12: { pkcs12FromAsn1(asn1: Asn1, strict: boolean, password: string): unknown }
  readonly util: { encodeUtf8(text: string): string }
  readonly pki: {
    readonly oids: Readonly<Record<string, string>>
    wrapRsaPrivateKey(asn1: Asn1): Asn1
    privateKeyToAsn1(key: unknown): Asn1
    certificateToAsn1(certificate: unknown): Asn1
  }
}

type Crypto = Pick<typeof import('node:crypto'), 'createPrivateKey' | 'X509Certificate'>

/** What is in a PKCS #12 file, in PEM; or what is wrong with it or its password. */
export type Pkcs12Content =
  | { readonly certificate: string; readonly key: string; readonly chain: string }
  | { readonly problem: string }
  | 'password'

/**
 * Opens a PKCS #12 file. It refers to nothing outside of itself: the server runs it in a thread, since a file says how
 * often its keys are derived and so how long that takes.
 */
export function readPkcs12(forge: Forge, crypto: Crypto, der: Uint8Array, password: string): Pkcs12Content {
  const damaged = { problem: 'The PKCS #12 file is damaged, or of a form that cannot be read' }
  const binary = Buffer.from(der).toString('latin1')
  const derOf = (asn1: Asn1) => Buffer.from(forge.asn1.toDer(asn1).getBytes(), 'latin1')

  /** Newer ciphers take the password in UTF-8, but the checksum, which is left out here, takes it in UTF-16. */
  const opened = (asn1: Asn1, inUtf8 = false) => {
    const value = (asn1.value as Asn1[]).slice(0, 2)
    const file = inUtf8
      ? forge.pkcs12.pkcs12FromAsn1({ ...asn1, value }, false, forge.util.encodeUtf8(password))
      : forge.pkcs12.pkcs12FromAsn1(asn1, false, password)
    return file as File
  }

  const openedAs = (asn1: Asn1) => {
    try {
      return opened(asn1)
    } catch (error) {
      if (/[^ -~]/.test(password))
        try {
          return opened(asn1, true)
        } catch {
          // The first error counts.
        }
      return /password|MAC/i.test(String(error)) ? 'password' : undefined
    }
  }

  const contentOf = (file: File): Pkcs12Content => {
    const { pkcs8ShroudedKeyBag, keyBag, certBag } = forge.pki.oids
    const bagsOf = (bagType: string) => file.getBags({ bagType })[bagType] ?? []
    const keys = [...bagsOf(pkcs8ShroudedKeyBag!), ...bagsOf(keyBag!)].map(({ key, asn1 }): KeyObject => {
      // The library parses RSA alone.
      const rsa =
        key === undefined || key === null ? undefined : forge.pki.wrapRsaPrivateKey(forge.pki.privateKeyToAsn1(key))
      return crypto.createPrivateKey({ key: derOf(rsa ?? asn1), format: 'der', type: 'pkcs8' })
    })
    const [key] = keys
    if (!key || keys.length > 1) return { problem: `The PKCS #12 file must have one key, not ${keys.length}` }
    const certificates = bagsOf(certBag!).map(
      ({ cert, asn1 }): X509Certificate =>
        new crypto.X509Certificate(derOf(cert ? forge.pki.certificateToAsn1(cert) : asn1)),
    )
    const own = certificates.find((one) => one.checkPrivateKey(key))
    if (!own) return { problem: 'The PKCS #12 file has no certificate of its key' }
    const above = certificates.filter((one) => one !== own)
    const pkcs8 = key.export({ type: 'pkcs8', format: 'pem' }).toString()
    return { certificate: String(own), key: pkcs8, chain: above.join('') }
  }

  try {
    const file = openedAs(forge.asn1.fromDer(binary))
    if (file === 'password') return file
    return file === undefined ? damaged : contentOf(file)
  } catch {
    return damaged
  }
}
