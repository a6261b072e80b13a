import { createHash } from 'node:crypto'
import { MAX_DOMAIN_LENGTH } from '../../shared/patterns.ts'
import type { AccountCore } from '../contract/account.ts'
import { fields, listOf, objectOf, optional, patterns, text, yesOrNo } from '../contract/fields.ts'
import { part } from './part.ts'
import { type FileSpec, ownerLine, systemDir, systemFile } from './spec.ts'

/** The certificate of a domain's site, and its key. */
export interface TlsCertificate {
  /** The name of the domain's files. */
  readonly file: string
  /** The certificate itself, followed by its chain. */
  readonly certificatePem: string
  readonly keyPem: string
  /** The mail servers show it to who asks for `mail.` and the domain's name. */
  readonly mail?: boolean | undefined
}

/** An ACME challenge for the account's sites. */
export interface TlsChallenge {
  readonly token: string
  readonly content: string
}

export interface TlsState {
  readonly challenges: readonly TlsChallenge[]
  readonly certificates: readonly TlsCertificate[]
}

const fileName = new RegExp(`^(?:_wildcard\\.)?${patterns.domain.source.slice(1)}`)
const block = (label: string) => `-----BEGIN ${label}-----\\n(?:[A-Za-z0-9+/]{1,64}={0,2}\\n)+-----END ${label}-----\\n`
const chain = new RegExp(`^(?:${block('CERTIFICATE')}){1,11}$`)
const key = new RegExp(`^${block('PRIVATE KEY')}$`)
const MAX_PEM_LENGTH = 200_000
const maxCertificates = 100_000

/** The checks of a certificate with its chain, and of its key. */
export const tlsPair = { certificatePem: text(chain, MAX_PEM_LENGTH), keyPem: text(key, MAX_PEM_LENGTH) }

const certificate = objectOf<TlsCertificate>(
  { file: text(fileName, MAX_DOMAIN_LENGTH), ...tlsPair, mail: optional(yesOrNo) },
  'a certificate',
)

const challenge = objectOf<TlsChallenge>(
  { token: text(/^[A-Za-z0-9_-]{1,128}$/), content: text(/^[A-Za-z0-9_-]{1,128}\.[A-Za-z0-9_-]{43}$/, 172) },
  'a challenge',
)
const maxChallenges = 10_000
export const challenges = listOf(challenge, maxChallenges)
/** Each account's names for mail, beside the maps of mail. */
export const mailNamesDir = 'etc/panel/mail/names.d'
const acme = 'var/lib/panel-host/acme/.well-known'

/** The content must be exactly what the authority expects, so it names no owner. */
export const answer = ({ token, content }: TlsChallenge): FileSpec => ({
  path: `${acme}/acme-challenge/${token}`,
  mode: 0o644,
  uid: 'root',
  gid: 'root',
  content,
})

/**
 * What the mail servers show by the name that a client asks for: a key and a certificate for each name. The hash tells of
 * a new certificate, since Postfix's map holds its text.
 */
function mailNames({ username }: AccountCore, certificates: readonly TlsCertificate[]): FileSpec[] {
  const lines = certificates
    .filter(({ mail }) => mail)
    .flatMap(({ file, certificatePem, keyPem }) => [
      `# ${createHash('sha256').update(certificatePem).update(keyPem).digest('hex')}`,
      `mail.${file} /etc/panel/tls/${file}.key /etc/panel/tls/${file}.crt`,
    ])
  return lines.length > 0 ? [systemFile(`${mailNamesDir}/${username}`, 0o600, lines)] : []
}

/** The certificates of the account's sites. */
export const tls = part({
  name: 'tls',
  dirs: [
    // Daemons open certificates as root; the file names reveal who is hosted here.
    systemDir('etc/panel/tls', 0o700),
    ...['var/lib/panel-host/acme', acme, `${acme}/acme-challenge`].map((path) => systemDir(path, 0o755)),
  ],
  check: fields<TlsState>({ challenges, certificates: listOf(certificate, maxCertificates) }, 'TLS'),
  render(core, { challenges, certificates }) {
    const written = (path: string, mode: number, pem: string): FileSpec =>
      systemFile(path, mode, [ownerLine('#', core), pem.trimEnd()])
    const files = certificates.flatMap(({ file, certificatePem, keyPem }) => [
      written(`etc/panel/tls/${file}.crt`, 0o644, certificatePem),
      written(`etc/panel/tls/${file}.key`, 0o600, keyPem),
    ])
    return { dirs: [], files: [...files, ...mailNames(core, certificates), ...challenges.map(answer)] }
  },
})
