import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { cryptLike } from '../src/shared/crypt.ts'

const openssl = (kind: string, salt: string, password: string): string =>
  execFileSync('openssl', ['passwd', `-${kind}`, '-salt', salt, '-stdin'], { input: password })
    .toString()
    .trim()

test.each(['1', '5', '6'])('hashes of the form $%s$ are those of openssl', (kind) => {
  for (const password of ['a', 'correct horse 1', 'äöü € 漢字', 'x'.repeat(70)])
    for (const salt of ['abcdefgh', 'a'])
      expect(cryptLike(password, `$${kind}$${salt}$`, createHash)).toBe(openssl(kind, salt, password))
})

test('rounds count, and other forms are none', () => {
  const found = cryptLike('Hello world!', '$6$rounds=10000$saltstringsaltst$', createHash)
  expect(found).toBe(
    '$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/YTBmSK6H9qs/y3RnOaw5v.',
  )
  const setting = 'rounds=10000$saltstringsaltst'
  expect(cryptLike('Hello world!', `$5$${setting}$`, createHash)).toBe(openssl('5', setting, 'Hello world!'))
  expect(cryptLike('x', '$2y$10$abc', createHash)).toBeUndefined()
})
