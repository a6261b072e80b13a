import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { writePrivate } from '../shared/files.ts'
import { day } from '../shared/time.ts'

const renewBefore = 30 * day

export interface KeyPair {
  readonly cert: string
  readonly key: string
}

/**
 * The server's own certificate below `<data-dir>/tls/`, for its hostname and loopback. A new one is signed with the
 * same key when the hostname or the validity no longer fits, so that a pinned key stays right.
 */
export async function ownCertificate(directory: string, hostname: string, now: number): Promise<KeyPair> {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const files = { key: join(directory, 'key.pem'), cert: join(directory, 'cert.pem') }
  if (!existsSync(files.key)) writePrivate(files.key, await (await maker()).newKey())
  const key = readFileSync(files.key, 'utf8')
  const cert = existsSync(files.cert) ? readFileSync(files.cert, 'utf8') : undefined
  if (cert && fits(cert, key, hostname, now)) return { key, cert }
  const names = { dns: namesOf(hostname), ip: addressesOf(hostname) }
  const fresh = await (await maker()).sign(key, hostname, names, now)
  writePrivate(files.cert, fresh)
  return { key, cert: fresh }
}

/** What makes certificates takes much memory, and is seldom asked. */
const maker = () => import('./certificate.ts')

function fits(cert: string, key: string, hostname: string, now: number): boolean {
  try {
    const known = new X509Certificate(cert)
    const covers =
      namesOf(hostname).every((name) => known.checkHost(name)) && addressesOf(hostname).every((ip) => known.checkIP(ip))
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

const namesOf = (hostname: string): string[] => [...new Set([hostname, 'localhost'])].filter((name) => !isIP(name))
const addressesOf = (hostname: string): string[] =>
  [...new Set([hostname, '127.0.0.1', '::1'])].filter((name) => isIP(name))
