import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { fingerprintsOf } from '../../src/runtime/operations/fingerprint.ts'
import { encryptionOf } from '../../src/runtime/security/seal.ts'
import { keyId } from '../../src/shared/keys.ts'

const [key, next] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)]
const columns = [{ purpose: 'webhook' }, { purpose: 'totp' }]
const seals = encryptionOf([key], columns)

test('decrypts what it encrypted, and encrypts the same text differently each time', () => {
  const sealed = seals.seal('webhook', 'whsec_ä')
  expect(seals.unseal('webhook', sealed)).toBe('whsec_ä')
  expect(sealed).not.toContain('whsec')
  expect(seals.seal('webhook', 'whsec_ä')).not.toBe(sealed)
})

test('decrypts nothing encrypted for another purpose, with another key, truncated or changed', () => {
  const sealed = seals.seal('webhook', 'whsec_')
  const changed = `${sealed.slice(0, -4)}${sealed.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
  expect(() => seals.unseal('totp', sealed)).toThrow()
  expect(() => encryptionOf([next], columns).unseal('webhook', sealed)).toThrow('another secret.key')
  expect(() => seals.unseal('webhook', changed)).toThrow()
  expect(() => seals.unseal('webhook', sealed.slice(0, 20))).toThrow()
  expect(() => seals.unseal('webhook', 'whsec_plain')).toThrow('not sealed')
})

test('names the key, and decrypts with either of two', () => {
  const both = encryptionOf([next, key], columns)
  const [former, fresh] = [seals.seal('webhook', 'a'), both.seal('webhook', 'b')]
  expect([both.unseal('webhook', former), both.unseal('webhook', fresh)]).toEqual(['a', 'b'])
  expect(former.split('.').slice(0, 2)).toEqual(['v2', keyId(key)])
  expect(fresh.split('.').slice(0, 2)).toEqual(['v2', keyId(next)])
})

test('decrypts what an older panel encrypted without naming its key', () => {
  const [, , text] = seals.seal('webhook', 'whsec_').split('.')
  expect(encryptionOf([next, key], columns).unseal('webhook', `v1.${text}`)).toBe('whsec_')
})

test('refuses a purpose that no area declares: it could not be re-encrypted', () => {
  expect(() => seals.seal('mail', 'x')).toThrow('No area says')
})

test('fingerprints of one text differ from use to use and from key to key', () => {
  const [one, other] = [fingerprintsOf(key), fingerprintsOf(next)]
  const all = [one('csrf', 'x'), one('request', 'x'), one('sign-in name', 'x'), other('csrf', 'x')]
  expect(new Set([...all, createHmac('sha256', key).update('x').digest('hex')]).size).toBe(5)
  expect(one('csrf', 'x')).toBe(all[0])
})
