import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The output of openssl for these arguments, in a directory of its own. */
const dir = mkdtempSync(join(tmpdir(), 'panel-ssl-'))
process.once('exit', () => rmSync(dir, { recursive: true, force: true }))

export const openssl = (...args: string[]): string =>
  execFileSync('openssl', args, { cwd: dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

/** Writes a file for openssl to read. */
export function file(content: string | Buffer): string {
  const name = `f${counter++}`
  writeFileSync(join(dir, name), content)
  return name
}
/** The path of such a file. */
export const inDir = (name: string) => join(dir, name)
const read = (name: string) => readFileSync(join(dir, name), 'utf8')
let counter = 0

/** openssl's options for creating a key. */
export const keys = {
  ec: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  p384: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  p521: ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-521'],
  rsa2048: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
  rsa1024: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:1024'],
  rsa4104: ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:4104', '-pkeyopt', 'rsa_keygen_primes:4'],
  ed25519: ['-algorithm', 'ED25519'],
} as const

export const newKey = (kind: keyof typeof keys = 'ec'): string => openssl('genpkey', ...keys[kind])

/** A certificate and its key, in PEM. */
export interface Made {
  readonly certificate: string
  readonly key: string
}

export interface Wish {
  readonly subject?: string
  readonly names?: readonly string[]
  readonly ca?: boolean
  readonly usage?: string
  readonly key?: string
  /** An existing signing request. */
  readonly request?: string
  readonly hash?: string
  /** YYYYMMDDHHMMSSZ. */
  readonly from?: string
  readonly to?: string
  readonly issuer?: Made
}

/** A certificate created by openssl, signed by its issuer or itself. */
export function certificate(wish: Wish = {}): Made {
  const { subject = '/CN=shop.example', names = ['shop.example', 'www.shop.example'], ca = false } = wish
  const key = wish.key ?? newKey()
  const request = file(wish.request ?? openssl('req', '-new', '-key', file(key), '-subj', subject))
  const signer = wish.issuer
    ? ['-cert', file(wish.issuer.certificate), '-keyfile', file(wish.issuer.key)]
    : ['-selfsign', '-keyfile', file(key)]
  const out = `f${counter++}`
  openssl('ca', '-batch', '-config', file(config(wish, names, ca)), '-in', request, '-out', out, '-notext', ...signer)
  return { certificate: read(out), key }
}

const config = (
  { usage = 'serverAuth', hash = 'sha256', from = '20260101000000Z', to = '20271231000000Z' }: Wish,
  names: readonly string[],
  ca: boolean,
) => `
[ca]
default_ca = it
[it]
database = ${file('')}
rand_serial = yes
new_certs_dir = .
default_md = ${hash}
default_startdate = ${from}
default_enddate = ${to}
policy = any
x509_extensions = ext
unique_subject = no
[any]
commonName = optional
organizationName = optional
[ext]
basicConstraints = critical,CA:${ca ? 'TRUE' : 'FALSE'}
${usage === '' || ca ? '' : `extendedKeyUsage = ${usage}`}
${names.length === 0 || ca ? '' : `subjectAltName = ${names.map((name) => `DNS:${name}`).join(',')}`}
`

/** A root, an intermediate signed by it, and a site's certificate signed by that. */
export function threeLevels() {
  const root = certificate({ subject: '/CN=Test Root', ca: true })
  const intermediate = certificate({ subject: '/CN=Test Intermediate', ca: true, issuer: root })
  return { root, intermediate, leaf: certificate({ issuer: intermediate }) }
}
