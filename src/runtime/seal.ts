import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

/** Encrypts what must be readable again, such as the secret that signs webhooks. */
export interface Seals {
  /** AES-256-GCM under the server's key. The purpose is sealed in: what was sealed for one thing opens for no other. */
  seal(purpose: string, text: string): string
  /** What was sealed for this purpose. Throws when it was sealed for another, with another key, or was changed. */
  unseal(purpose: string, sealed: string): string
}

const version = 'v1.'
const ivBytes = 12
const tagBytes = 16

/** Seals under a key of 32 bytes, which signs other things elsewhere: a key of its own is derived from it. */
export function sealsOf(serverKey: Buffer): Seals {
  const key = Buffer.from(hkdfSync('sha256', serverKey, '', 'panel seal', 32))
  return {
    seal(purpose, text) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(purpose))
      const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return version + Buffer.concat([iv, cipher.getAuthTag(), hidden]).toString('base64')
    },
    unseal(purpose, sealed) {
      if (!sealed.startsWith(version)) throw new Error('This was not sealed by a panel server.')
      const bytes = Buffer.from(sealed.slice(version.length), 'base64')
      const iv = bytes.subarray(0, ivBytes)
      const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes })
      decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
      return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8')
    },
  }
}
