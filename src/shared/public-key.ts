import { createHash, type KeyObject } from 'node:crypto'

/** SHA-256 of a public key, in hex. */
export const publicKeyHash = (key: KeyObject): string =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
