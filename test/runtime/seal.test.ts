import { expect, test } from 'vitest'
import { sealsOf } from '../../src/runtime/seal.ts'

const seals = sealsOf(Buffer.alloc(32, 7))

test('opens what it sealed, and seals the same text differently each time', () => {
  const sealed = seals.seal('webhook', 'whsec_ä')
  expect(seals.unseal('webhook', sealed)).toBe('whsec_ä')
  expect(sealed).not.toContain('whsec')
  expect(seals.seal('webhook', 'whsec_ä')).not.toBe(sealed)
})

test('opens nothing sealed for another purpose, under another key, cut short or changed', () => {
  const sealed = seals.seal('webhook', 'whsec_')
  const changed = `${sealed.slice(0, -4)}${sealed.endsWith('AAAA') ? 'BBBB' : 'AAAA'}`
  expect(() => seals.unseal('totp', sealed)).toThrow()
  expect(() => sealsOf(Buffer.alloc(32, 8)).unseal('webhook', sealed)).toThrow()
  expect(() => seals.unseal('webhook', changed)).toThrow()
  expect(() => seals.unseal('webhook', sealed.slice(0, 20))).toThrow()
  expect(() => seals.unseal('webhook', 'whsec_plain')).toThrow('not sealed')
})
