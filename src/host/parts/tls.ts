import { longestDomain } from '../../shared/patterns.ts'
import { fields, listOf, object, patterns, text } from '../fields.ts'
import { part } from '../part.ts'
import { type FileSpec, ownerLine, systemDir, systemFile } from '../spec.ts'

/** What a domain's site shows, and its key. */
export interface TlsCertificate {
  /** What the domain's files are called. */
  readonly file: string
  /** Its own certificate, and its chain from there up. */
  readonly certificatePem: string
  readonly keyPem: string
}

export interface TlsState {
  readonly certificates: readonly TlsCertificate[]
}

const fileName = new RegExp(`^(?:_wildcard\\.)?${patterns.domain.source.slice(1)}`)
const block = (label: string) => `-----BEGIN ${label}-----\\n(?:[A-Za-z0-9+/]{1,64}={0,2}\\n)+-----END ${label}-----\\n`
const chain = new RegExp(`^(?:${block('CERTIFICATE')}){1,11}$`)
const key = new RegExp(`^${block('PRIVATE KEY')}$`)
const longest = 200_000
const maxCertificates = 100_000

const certificate = object<TlsCertificate>(
  { file: text(fileName, longestDomain), certificatePem: text(chain, longest), keyPem: text(key, longest) },
  'a certificate',
)

/** The certificates that the account's sites show. */
export const tls = part({
  name: 'tls',
  dirs: [systemDir('etc/panel/tls', 0o755)],
  check: fields<TlsState>({ certificates: listOf(certificate, maxCertificates) }, 'TLS'),
  render(core, { certificates }) {
    const written = (path: string, mode: number, pem: string): FileSpec =>
      systemFile(path, mode, [ownerLine('#', core), pem.trimEnd()])
    const files = certificates.flatMap(({ file, certificatePem, keyPem }) => [
      written(`etc/panel/tls/${file}.crt`, 0o644, certificatePem),
      written(`etc/panel/tls/${file}.key`, 0o600, keyPem),
    ])
    return { dirs: [], files }
  },
})
