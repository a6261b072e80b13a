import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ftp } from '../../src/host/parts/ftp/index.ts'
import type { FtpState } from '../../src/host/parts/ftp/state.ts'
import { account, server } from '../host/helpers.ts'

const hash = `$6$${'a'.repeat(16)}$${'b'.repeat(86)}`
const login = { login: 'deploy@bob.example', hash, directory: 'sites/x' }

const refused: [string, object][] = [
  ['a login without a domain', { login: 'deploy' }],
  ['a login that ends its field', { login: 'de:ploy@bob.example' }],
  ['a login of two lines', { login: 'deploy@bob.example\nroot' }],
  ['dots that follow each other', { login: 'a..b@bob.example' }],
  ['a hash that is none', { hash: '!' }],
  ['a hash of another kind', { hash: `$1$${'a'.repeat(16)}$${'b'.repeat(86)}` }],
  ['a hash that ends its field', { hash: `${hash}:0:0` }],
  ['a directory above the home', { directory: '../alice' }],
  ['a directory from the root', { directory: '/etc' }],
  ['a directory in the mail', { directory: 'mail/bob.example' }],
  ['a quota of nothing', { quotaMb: 0 }],
  ['a field that it does not know', { shell: '/bin/bash' }],
]

describe('login as the host validates it again', () => {
  test.each(refused)('refuses %s', (_, over) => {
    expect(() => ftp.check({ logins: [{ ...login, ...over }] })).toThrow()
  })

  test('writes only what was validated into lines: any text', () => {
    const near = (safe: string) =>
      fc.oneof(fc.constant(safe), fc.stringMatching(/^[a-z0-9.@:\n\\/$ _-]{0,24}$/), fc.string())
    const any = fc.record({ login: near('x@bob.example'), hash: near(hash), directory: near('a/b') })
    fc.assert(
      fc.property(fc.array(any, { maxLength: 3 }), (logins) => {
        const state: FtpState = { logins }
        try {
          ftp.check(state)
        } catch {
          return
        }
        const [file] = ftp.render(account(), state, server, {}).files
        const lines = file!.content.split('\n').slice(0, -1)
        expect(lines).toHaveLength(logins.length + 1)
        for (const line of lines)
          expect(line).toMatch(
            /^[a-z0-9@._-]+:(?:!|\$6\$[^:]{103}):20001:20001::\/home\/bob(?:\/[A-Za-z0-9._-]+)*:\/bin\/false$/,
          )
      }),
      { numRuns: 1000 },
    )
  })
})
