import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { derivedKey, keyId } from '../../shared/keys.ts'
import type { SealedColumn } from '../../store/parts.ts'

/** Encrypts what must be readable again, such as webhook signing secrets. */
export interface Encryption {
  /**
   * AES-256-GCM under the server's key, prefixed with its id. The purpose is authenticated: a value encrypted for one
   * purpose cannot be decrypted for another.
   */
  seal(purpose: string, text: string): string
  /** Decrypts a value. Throws if its purpose or key differs, or if it was changed. */
  unseal(purpose: string, sealed: string): string
}

const ivBytes = 12
const tagBytes = 16
/** Version 1 values do not name their key. */
const form = /^(?:v1|v2\.([0-9a-f]{12}))\.([A-Za-z0-9+/]+=*)$/

/** Encrypts with the first key, and decrypts with any. */
export function encryptionOf(keys: readonly Buffer[], columns: readonly Pick<SealedColumn, 'purpose'>[]): Encryption {
  const purposes = new Set(columns.map(({ purpose }) => purpose))
  const ring = keys.map((key) => ({ id: keyId(key), key: derivedKey(key, 'seal') }))
  const [current] = ring
  if (!current) throw new Error('There is no key to seal with.')
  return {
    seal(purpose, text) {
      if (!purposes.has(purpose)) throw new Error(`No area says which column holds what is sealed for ${purpose}.`)
      return `v2.${current.id}.${encrypt(current.key, purpose, text).toString('base64')}`
    },
    unseal(purpose, sealed) {
      const [, id, text] = form.exec(sealed) ?? []
      if (text === undefined) throw new Error('This was not sealed by a panel server.')
      const fitting = ring.filter((one) => id === undefined || one.id === id)
      if (fitting.length === 0) throw new Error(`This was sealed with another secret.key (${id}).`)
      return decryptWith(fitting, purpose, Buffer.from(text, 'base64'))
    },
  }
}

function encrypt(key: Buffer, purpose: string, text: string): Buffer {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes }).setAAD(Buffer.from(purpose))
  const hidden = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), hidden])
}

function decryptWith(ring: readonly { key: Buffer }[], purpose: string, bytes: Buffer): string {
  let failure: unknown
  for (const { key } of ring) {
    try {
      return decrypt(key, purpose, bytes)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

function decrypt(key: Buffer, purpose: string, bytes: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes })
  decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes))
  return Buffer.concat([decipher.update(bytes.subarray(ivBytes + tagBytes)), decipher.final()]).toString('utf8')
}
