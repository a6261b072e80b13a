import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { failureOf, redirectIn, refsIn } from '../../src/host/apps/git/failure.ts'
import { runs } from '../fuzz.ts'

const url = 'https://git.example/acme/shop'
const ssh = 'git@git.example:acme/shop.git'
const remote = (...output: string[]) => ({ isReached: false, output })

/** The last lines of git and ssh with hosts of repositories. */
const failures: readonly (readonly [string, string, string, string])[] = [
  ['GitHub over ssh', ssh, 'ERROR: Repository not found.', 'repository not found at'],
  [
    'GitLab over ssh',
    ssh,
    "remote: The project you were looking for could not be found or you don't have permission to view it.",
    'repository not found at',
  ],
  [
    "a server of one's own",
    ssh,
    "fatal: '/srv/git/shop.git' does not appear to be a git repository",
    'repository not found at',
  ],
  ['a key that is not added', ssh, 'git@git.example: Permission denied (publickey).', 'add the deploy_key'],
  ['a closed port', ssh, 'ssh: connect to host git.example port 22: Connection refused', 'cannot be reached'],
  [
    'no password',
    url,
    "fatal: could not read Username for 'https://git.example': terminal prompts disabled",
    'needs a token or a deploy key',
  ],
  ['a helper that gives none', url, "fatal: credential helper '!f' told us to quit", 'needs a token or a deploy key'],
  [
    'GitLab without a token',
    url,
    "fatal: unable to access 'https://git.example/acme/shop/': The requested URL returned error: 403",
    'needs a token or a deploy key',
  ],
  ['a missing page', url, "fatal: repository 'https://git.example/acme/shop/' not found", 'repository not found at'],
  [
    'another host',
    url,
    "fatal: unable to access 'https://git.example/acme/shop/': The requested URL returned error: 302",
    'redirect that leads elsewhere',
  ],
  [
    'a certificate',
    url,
    "fatal: unable to access 'https://git.example/': SSL certificate problem: unable to get local issuer certificate",
    'certificate of git.example is not trusted',
  ],
  [
    'an outage',
    url,
    "fatal: unable to access 'https://git.example/': The requested URL returned error: 503",
    'try again later',
  ],
  [
    'a web site',
    url,
    'fatal: https://git.example/acme/shop/info/refs not valid: is this a git repository?',
    'check the address',
  ],
  [
    'a timeout',
    url,
    "fatal: unable to access 'https://git.example/': Failed to connect to git.example port 443 after 130 ms: Couldn't connect to server",
    'cannot be reached',
  ],
  [
    'anything else',
    url,
    'fatal: the remote end hung up unexpectedly',
    'git ls-remote https://git.example/acme/shop failed',
  ],
]

describe('why git failed', () => {
  test.each(failures)('%s', (_, address, line, reason) => {
    const text = failureOf({ url: address }, remote(line, 'fatal: Could not read from remote repository.', ''), [])
    expect(text).toContain(reason)
    expect(text).not.toBe(line)
  })

  test('a token that is refused is another matter than none', () => {
    const line = "fatal: Authentication failed for 'https://git.example/acme/shop/'"
    expect(failureOf({ url, password: 'x' }, remote(line), [])).toContain('refuses this username and token')
  })

  test('any output gives one sentence that names the repository or its host', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.boolean(), (output, isReached) => {
        expect(failureOf({ url, ref: 'main' }, { isReached, output }, output)).toMatch(/git\.example|not found/)
      }),
      runs(),
    )
  })

  test('reads branches and tags', () => {
    const id = 'a'.repeat(40)
    const output = [
      'ref: refs/heads/main\tHEAD',
      `${id}\tHEAD`,
      `${id}\trefs/heads/main`,
      `${id}\trefs/heads/feature/#42`,
    ]
    expect(refsIn([...output, `${id}\trefs/tags/v1`, `${id}\trefs/tags/v1^{}`, `${id}\trefs/pull/1/head`])).toEqual({
      head: 'main',
      branches: ['main', 'feature/#42'],
      tags: ['v1'],
    })
  })
})

describe('a redirect', () => {
  const trace = (location: string): string[] => [
    '10:00:00.000001 http.c:845             => Send header: GET /acme/shop/info/refs?service=git-upload-pack HTTP/1.1',
    `10:00:00.000002 http.c:845             <= Recv header: location: ${location}`,
  ]
  test.each([
    ['https://git.example/acme/shop.git/info/refs?service=git-upload-pack', 'https://git.example/acme/shop.git'],
    ['/new/shop.git/info/refs?service=git-upload-pack', 'https://git.example/new/shop.git'],
  ])('on the same host is followed: %s', (location, target) => expect(redirectIn(url, trace(location))).toBe(target))

  test.each([
    'https://other.example/acme/shop.git/info/refs',
    'https://git.example:8443/acme/shop.git/info/refs',
    'http://git.example/acme/shop.git/info/refs',
    'https://git.example@127.0.0.1/acme/shop.git/info/refs',
    'https://user:pw@git.example/acme/shop.git/info/refs',
    'https://git.example/users/sign_in',
    'file:///etc/info/refs',
    'https://git.example/acme/shop/info/refs',
    '//169.254.169.254/latest/info/refs',
    'https://[::1]/acme/info/refs',
    'javascript:1',
    '%',
  ])('elsewhere is not: %s', (location) => expect(redirectIn(url, trace(location))).toBeUndefined())

  test('never leads to another host or scheme', () => {
    const part = fc.constantFrom(
      'https:',
      '//',
      'git.example',
      '127.0.0.1',
      '@',
      ':',
      '\\',
      '/',
      '#',
      '?',
      '..',
      '%2f',
      'info/refs',
      'a',
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 9 }), (parts) => {
        const target = redirectIn(url, trace(parts.join('')))
        if (target !== undefined) expect(new URL(target).origin).toBe('https://git.example')
      }),
      runs(3000),
    )
  })
})
