import { createHmac } from 'node:crypto'
import { derivedKey } from '../../shared/keys.ts'

/** Each use has its own key. */
export type FingerprintUse =
  | 'csrf'
  | 'sign-in name'
  | 'sign-in code'
  | 'passkey challenge'
  | 'request'
  | 'log cursor'
  | 'file cursor'
  | 'epoch'

/** HMAC-SHA256 in hex, under a key derived from the server's own for this use. */
export type Fingerprint = (use: FingerprintUse, text: string) => string

export function fingerprintsOf(serverKey: Buffer): Fingerprint {
  const keys = new Map<FingerprintUse, Buffer>()
  return (use, text) => {
    const key = keys.get(use) ?? derivedKey(serverKey, `fingerprint ${use}`)
    keys.set(use, key)
    return createHmac('sha256', key).update(text).digest('hex')
  }
}
