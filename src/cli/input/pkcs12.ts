import { createPrivateKey, X509Certificate } from 'node:crypto'
import forge from 'node-forge'
import { usage } from '../errors.ts'
import { pemOf } from './pem-file.ts'

interface Pkcs12Content {
  readonly certificate: string
  readonly key: string
  /** The other certificates. */
  readonly chain: string
}

type Bag = forge.pkcs12.Bag

/** The content of a PKCS #12 file as PEM; `password` if it has another one. */
export function openPkcs12(der: Buffer, password: string): Pkcs12Content | 'password' {
  const file = opened(der, password)
  if (file === 'password') return file
  const { pkcs8ShroudedKeyBag, keyBag, certBag } = forge.pki.oids as Record<string, string>
  const [key, ...others] = [...bagsOf(file, pkcs8ShroudedKeyBag!), ...bagsOf(file, keyBag!)].map(keyOf)
  if (!key || others.length > 0)
    throw usage(`The PKCS #12 file must have one key, not ${others.length + (key ? 1 : 0)}`)
  const certificates = bagsOf(file, certBag!).map(certificateOf)
  const own = certificates.find((one) => one.checkPrivateKey(key))
  if (!own) throw usage('The PKCS #12 file has no certificate of its key')
  const above = certificates.filter((one) => one !== own)
  const pkcs8 = key.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { certificate: String(own), key: pkcs8, chain: above.join('') }
}

function opened(der: Buffer, password: string) {
  const asn1 = parsed(der)
  try {
    return forge.pkcs12.pkcs12FromAsn1(asn1, false, password)
  } catch (error) {
    const other = /^[ -~]*$/.test(password) ? undefined : withUtf8(asn1, password)
    if (other) return other
    if (/password|MAC/i.test(String(error))) return 'password'
    throw damaged()
  }
}

function parsed(der: Buffer): forge.asn1.Asn1 {
  try {
    return forge.asn1.fromDer(der.toString('binary'))
  } catch {
    throw damaged()
  }
}

const damaged = () => usage('The PKCS #12 file is damaged, or of a form that cannot be read')

/** Newer ciphers take the password in UTF-8, but the checksum, which is left out here, takes it in UTF-16. */
function withUtf8(asn1: forge.asn1.Asn1, password: string) {
  try {
    const value = (asn1.value as forge.asn1.Asn1[]).slice(0, 2)
    return forge.pkcs12.pkcs12FromAsn1({ ...asn1, value }, false, forge.util.encodeUtf8(password))
  } catch {
    return undefined
  }
}

const bagsOf = (file: forge.pkcs12.Pkcs12Pfx, bagType: string): Bag[] => file.getBags({ bagType })[bagType] ?? []

const derOf = (asn1: forge.asn1.Asn1): Buffer => Buffer.from(forge.asn1.toDer(asn1).getBytes(), 'binary')

/** The library parses RSA alone. */
function keyOf({ key, asn1 }: Bag) {
  const rsa = key && forge.pki.wrapRsaPrivateKey(forge.pki.privateKeyToAsn1(key))
  return createPrivateKey({ key: derOf(rsa ?? asn1), format: 'der', type: 'pkcs8' })
}

const certificateOf = ({ cert, asn1 }: Bag): X509Certificate =>
  new X509Certificate(pemOf('CERTIFICATE', derOf(cert ? forge.pki.certificateToAsn1(cert) : asn1)))
