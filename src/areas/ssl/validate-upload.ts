import type { KeyObject } from 'node:crypto'
import { invalid } from '../../contract/problem.ts'
import { MAX_HOSTNAME_LENGTH } from '../../shared/patterns.ts'
import {
  type Certificate,
  certificateOf,
  certificatesOfBundle,
  covers,
  firstValue,
  isRoot,
  keyProblem,
  signedWell,
} from './certificate.ts'
import { chainOf } from './chain.ts'
import { privateKeyOf } from './key.ts'
import { type Block, blocksOf } from './pem.ts'

/** A certificate sent for installation. */
export interface UploadedCertificate {
  readonly certificate: string
  readonly private_key?: string
  readonly ca_bundle?: string
}

/** An acceptable certificate: its chain from the leaf up, without the root. */
export interface ValidatedUpload {
  readonly chain: readonly [Certificate, ...Certificate[]]
  readonly key: KeyObject
}

type CertificateField = 'certificate' | 'ca_bundle'
interface Upload {
  readonly field: CertificateField
  readonly certificate: Certificate
}

const MAX_CHAIN_LENGTH = 10

/** Validates a certificate for a domain; 400 names the field. `known` are the keys to try if none was sent. */
export function validateUpload(
  sent: UploadedCertificate,
  domain: string,
  now: number,
  known: readonly KeyObject[] = [],
): ValidatedUpload {
  const all = [...certificatesOf('certificate', sent.certificate), ...certificatesOf('ca_bundle', sent.ca_bundle ?? '')]
  const own = ownOf(all, domain)
  if (!own) throw invalid('certificate', withoutCertificate(sent))
  const above = all.filter((one) => one !== own)
  if (above.length > MAX_CHAIN_LENGTH)
    throw invalid(above[MAX_CHAIN_LENGTH]!.field, `must have at most ${MAX_CHAIN_LENGTH} certificates above its own`)
  refuseLeaf(own.certificate, domain, now)
  const chain = validatedChain(own.certificate, above, now)
  return { chain, key: keyOf(sent, own.certificate, known) }
}

const withoutCertificate = ({ certificate }: UploadedCertificate): string =>
  certificate.includes('PRIVATE KEY-----')
    ? 'has a private key and no certificate: the two may be interchanged'
    : 'must hold a certificate'

/** The site's own certificate: the first one, unless that is an authority's, as in a chain from the root down. */
function ownOf(all: readonly Upload[], domain: string): Upload | undefined {
  const isSite = ({ certificate }: Upload) => !certificate.node.ca || isOwn(certificate, domain)
  return all.find(isSite) ?? all[0]
}

const isKey = ({ label }: Block): boolean => label.endsWith('PRIVATE KEY')
const labels = new Set(['CERTIFICATE', 'X509 CERTIFICATE', 'TRUSTED CERTIFICATE'])
const bundles = new Set(['PKCS7', 'PKCS #7 SIGNED DATA', 'CMS'])
/** What some servers have in the same file. */
const parameters = new Set(['DH PARAMETERS', 'EC PARAMETERS'])

function certificatesOf(field: CertificateField, text: string): Upload[] {
  return blocksOf(field, text).flatMap((block, at) => {
    if (parameters.has(block.label) || isKey(block)) return []
    const found = certificatesIn(block)
    if (found.length === 0) throw invalid(field, `block ${at + 1} is not a certificate${hintOf(block)}`)
    return found.map((certificate) => ({ field, certificate }))
  })
}

function certificatesIn({ label, der }: Block): readonly Certificate[] {
  if (bundles.has(label)) return certificatesOfBundle(der)
  const one = labels.has(label) ? certificateOf(label.startsWith('TRUSTED') ? firstValue(der) : der) : undefined
  return one ? [one] : []
}

function hintOf({ label }: Block): string {
  if (label.endsWith('CERTIFICATE REQUEST')) return ': a signing request is what the authority makes it of'
  return labels.has(label) ? ' that can be read' : `, but ${label}`
}

const serverAuth = '1.3.6.1.5.5.7.3.1'

function refuseLeaf(leaf: Certificate, domain: string, now: number): void {
  const problem = leafProblem(leaf, domain, now)
  if (problem) throw invalid('certificate', problem)
}

function leafProblem(leaf: Certificate, domain: string, now: number): string | undefined {
  const usages = leaf.node.keyUsage as string[] | undefined
  if (leaf.node.ca && !isOwn(leaf, domain))
    return isOfSite(leaf)
      ? uncovered(leaf, domain)
      : "has the certificates of authorities alone: the site's own certificate is missing"
  if (usages && !usages.includes(serverAuth)) return 'is not for web servers: its usages lack serverAuth'
  if (!covers(leaf.names, domain)) return uncovered(leaf, domain)
  if (now < leaf.notBefore) return `is not valid before ${dayOf(leaf.notBefore)}`
  if (now >= leaf.notAfter) return `expired on ${dayOf(leaf.notAfter)}`
  return weakness(leaf)
}

/** `openssl req -x509` marks a site's own certificate as an authority's. */
const isOwn = (leaf: Certificate, domain: string): boolean =>
  isRoot(leaf) && (covers(leaf.names, domain) || leaf.node.subject.split('\n').includes(`CN=${domain}`))

/** One that openssl made for some site: authorities have no host names. */
const isOfSite = (leaf: Certificate): boolean =>
  isRoot(leaf) && (leaf.names.length > 0 || commonNameOf(leaf) !== undefined)

/** The common name, if it is a host's. */
const commonNameOf = ({ node }: Certificate): string | undefined =>
  /^CN=([a-z0-9*-]+(?:\.[a-z0-9-]+)+)$/im.exec(node.subject)?.[1]

/** Which names it has, and which it must have. */
function uncovered(leaf: Certificate, domain: string): string {
  const names = leaf.names.slice(0, 5).map((name) => name.slice(0, MAX_HOSTNAME_LENGTH))
  if (names.length > 0)
    return `does not cover ${domain}: it is for ${names.join(', ')}; its names must include ${namesFor(domain)}`
  const common = commonNameOf(leaf)
  const reason = common === undefined || common.toLowerCase() === domain ? 'it' : `it is for ${common}, and`
  return `does not cover ${domain}: ${reason} has no subject alternative names, such as openssl adds with -addext subjectAltName=DNS:${domain}`
}

/** A wildcard stands for one label, and not for a whole registrable name. */
function namesFor(domain: string): string {
  const [, ...parent] = domain.split('.')
  return parent.length > 1 ? `${domain} or *.${parent.join('.')}` : domain
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Why a web server or a client would refuse it. */
function weakness(one: Certificate): string | undefined {
  const problem = keyProblem(one.node.publicKey)
  if (problem) return problem
  return signedWell(one) ? undefined : 'is signed with a hash that clients refuse; it must be SHA-256 or better'
}

function validatedChain(leaf: Certificate, above: readonly Upload[], now: number): ValidatedUpload['chain'] {
  const intermediates = above.map(({ certificate }) => certificate)
  const { certificates, unrelated } = chainOf(leaf, intermediates, now)
  const fieldOf = (one: Certificate) => above.find(({ certificate }) => certificate === one)!.field
  for (const one of unrelated)
    throw invalid(fieldOf(one), `${one.node.subject.replaceAll('\n', ', ')} did not sign a certificate of this chain`)
  for (const one of certificates.slice(1)) {
    const rsaBits = one.node.publicKey.asymmetricKeyDetails?.modulusLength ?? 2048
    if (rsaBits < 2048 || !signedWell(one))
      throw invalid(fieldOf(one), 'holds a certificate with a weak key or signature, which web servers refuse')
  }
  return certificates
}

function keyOf(sent: UploadedCertificate, leaf: Certificate, known: readonly KeyObject[]): KeyObject {
  const fits = (key: KeyObject) => leaf.node.checkPrivateKey(key)
  const beside = keyBeside(sent)
  if (sent.private_key === undefined && !beside) {
    const found = known.find(fits)
    if (!found)
      throw invalid('private_key', 'is required: add the key that belongs to it, as no signing request here has it')
    return found
  }
  const field = sent.private_key === undefined ? beside!.field : 'private_key'
  const key = sent.private_key === undefined ? beside!.key : privateKeyOf(sent.private_key)
  if (!fits(key)) throw invalid(field, field === 'private_key' ? 'does not belong to the certificate' : foreignKey)
  if (beside && !beside.key.equals(key)) throw invalid(beside.field, 'has another private key than the one beside it')
  return key
}

const foreignKey = 'has a private key that does not belong to the certificate'

interface KeyBeside {
  readonly field: CertificateField
  readonly key: KeyObject
}

/** A key in the same text as the certificates, as haproxy and many programs store them. */
function keyBeside({ certificate, ca_bundle = '' }: UploadedCertificate): KeyBeside | undefined {
  const texts = { certificate, ca_bundle }
  const field = (['certificate', 'ca_bundle'] as const).find((one) => blocksOf(one, texts[one]).some(isKey))
  return field && { field, key: privateKeyOf(texts[field], field) }
}
