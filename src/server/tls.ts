import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { writePrivate } from '../shared/files.ts'
import { MAX_HOSTNAME_LENGTH } from '../shared/patterns.ts'
import { day } from '../shared/time.ts'
import type { Names } from './certificate.ts'

const renewBefore = 30 * day

export interface KeyPair {
  readonly cert: string
  readonly key: string
}

/**
 * The server's self-signed certificate below `<data-dir>/tls/`, for its hostname and loopback. It is reissued with the
 * same key when the hostname changes or it expires, so that a pinned key stays valid.
 */
export async function ownCertificate(
  directory: string,
  hostname: string,
  now: number,
  besides: readonly string[] = [],
): Promise<KeyPair> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const files = { key: join(directory, 'key.pem'), cert: join(directory, 'cert.pem') }
  if (!existsSync(files.key)) writePrivate(files.key, await (await maker()).newKey())
  const key = readFileSync(files.key, 'utf8')
  const cert = existsSync(files.cert) ? readFileSync(files.cert, 'utf8') : undefined
  const names = { dns: namesOf(hostname, besides), ip: addressesOf(hostname) }
  if (cert && fits(cert, key, names, now)) return { key, cert }
  const fresh = await (await maker()).sign(key, hostname, names, now)
  writePrivate(files.cert, fresh)
  return { key, cert: fresh }
}

/** Loaded on demand: it takes much memory and is rarely needed. */
const maker = () => import('./certificate.ts')

function fits(cert: string, key: string, { dns, ip }: Names, now: number): boolean {
  try {
    const known = new X509Certificate(cert)
    const covers = dns.every((name) => known.checkHost(name)) && ip.every((address) => known.checkIP(address))
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

/** The names that a certificate can carry. */
const namesOf = (hostname: string, besides: readonly string[]): string[] =>
  [...new Set([hostname, ...besides.filter((name) => name.length <= MAX_HOSTNAME_LENGTH), 'localhost'])].filter(
    (name) => !isIP(name),
  )
const addressesOf = (hostname: string): string[] =>
  [...new Set([hostname, '127.0.0.1', '::1'])].filter((name) => isIP(name))
