import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cryptPassword, passwordError } from '../../src/runtime/security/crypt.ts'
import { sha512Crypt } from '../../src/shared/crypt.ts'

const openssl = '/usr/bin/openssl'
const byOpenssl = (password: string, salt: string): string =>
  spawnSync(openssl, ['passwd', '-6', '-salt', salt, '-stdin'], { input: password, encoding: 'utf8' }).stdout.trim()

test('SHA512-CRYPT matches its specification', () => {
  expect(sha512Crypt('Hello world!', 'saltstring', createHash)).toBe(
    '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
  )
})

test.skipIf(!existsSync(openssl))('SHA512-CRYPT equals `openssl passwd -6` for any password', () => {
  const salt = fc.string({ unit: fc.constantFrom(...'./09AZaz'), minLength: 16, maxLength: 16 })
  const password = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 128 })
    .filter((text) => !/[\n\r\0]/.test(text))
  fc.assert(
    fc.property(password, salt, (text, by) => {
      expect(sha512Crypt(text, by, createHash)).toBe(byOpenssl(text, by))
    }),
    { numRuns: 12 },
  )
})

test('a password is hashed in a thread, with a new salt each time', async () => {
  const hashes = await Promise.all(
    ['correct horse', 'correct horse', 'pässwörter'].map((password) => cryptPassword(password, undefined)),
  )
  for (const hash of hashes) expect(hash).toMatch(/^\$6\$[./A-Za-z0-9]{16}\$[./A-Za-z0-9]{86}$/)
  expect(new Set(hashes).size).toBe(3)
  const salt = hashes[2]!.split('$')[2]!
  expect(hashes[2]).toBe(sha512Crypt('pässwörter', salt, createHash))
})

test('a password must differ from the name', () => {
  expect(passwordError('Info@Alice.example', 'info', 'info@alice.example')).toBe('must not be the name itself')
  expect(passwordError('info@alice.example2', 'info', 'info@alice.example')).toBeUndefined()
})
