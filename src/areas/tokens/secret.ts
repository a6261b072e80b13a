import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const start = 'pnl_'
const random = 34
const sum = 6

/** A new secret: `pnl_` and 40 base62 characters, the last 6 a CRC32 of the rest. */
export function newSecret(): string {
  const body = start + Array.from({ length: random }, () => alphabet[randomInt(alphabet.length)]).join('')
  return body + checksum(body)
}

/** Whether a text has the form of a secret; a wrong checksum is refused without a look-up. */
export function wellFormed(secret: string): boolean {
  const body = secret.slice(0, -sum)
  return /^pnl_[0-9A-Za-z]{40}$/.test(secret) && secret.slice(-sum) === checksum(body)
}

/** Secrets are random enough for a plain SHA-256. */
export const hashSecret = (secret: string): string => hash('sha256', secret)

export const prefixOf = (secret: string): string => secret.slice(0, 12)

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let place = 0; place < sum; place++) {
    text = alphabet[rest % alphabet.length]! + text
    rest = Math.floor(rest / alphabet.length)
  }
  return text
}
