import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { gitRef } from '../../src/shared/git-ref.ts'
import { runs } from '../fuzz.ts'

const git = (ref: string): boolean =>
  spawnSync('git', ['check-ref-format', '--branch', ref], { stdio: 'ignore', cwd: '/' }).status === 0

/** Names as hosts of repositories, bots and release tools make them. */
test.each([
  ...['main', 'feature/#42-fix', 'renovate/@types-node', 'shop@1.2.0', '@acme/shop@1.2.0', 'v1.0.0+build5'],
  ...[
    '_staging',
    'fix/ünïcode',
    'dependabot/npm_and_yarn/a-1.0',
    '2026.11',
    'a=b',
    "l'été",
    'x,y',
    '(wip)',
    '$x',
    '%41',
  ],
])('takes the ref %j, as git does', (ref) => {
  expect([gitRef.test(ref), git(ref)]).toEqual([true, true])
})

test.each([
  ...[
    '',
    '-x',
    '--upload-pack=x',
    'a..b',
    'a~1',
    'a^',
    'a:b',
    'a?',
    'a*',
    'a[b',
    'a\\b',
    'a b',
    'a\tb',
    'a\n',
    'a\u007f',
  ],
  ...['/a', 'a/', 'a//b', '.a', 'a/.b', 'a.', 'a.lock', 'a.lock/b', 'a@{1}', '@', 'x'.repeat(251)],
])('refuses %j as a ref', (ref) => {
  expect(gitRef.test(ref)).toBe(false)
})

test('takes exactly what git check-ref-format allows', () => {
  const part = fc.constantFrom(...'ab@{}./-~^:?*[\\ #+_=.lock', '.lock', '..', '//', '@{', 'ü', '\u0001', '\u007f')
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
      const ref = parts.join('')
      fc.pre(ref !== '@' && !ref.startsWith('@{'))
      expect([ref, gitRef.test(ref)]).toEqual([ref, git(ref)])
    }),
    runs(500),
  )
})
