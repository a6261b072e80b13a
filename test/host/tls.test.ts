import { expect, test } from 'vitest'
import { checkAccount } from '../../src/host/contract/check.ts'
import { renderAccount } from '../../src/host/parts/render.ts'
import { account, server } from './helpers.ts'

const block = (label: string) => `-----BEGIN ${label}-----\nAAAA\nBg==\n-----END ${label}-----\n`
const certificatePem = block('CERTIFICATE').repeat(2)
const keyPem = block('PRIVATE KEY')
const withOne = (over: object) =>
  account({ parts: { tls: { certificates: [{ file: 'bob.example', certificatePem, keyPem, ...over }] } } })

test('a certificate is written with its chain, and its key is readable by root only', () => {
  const { files } = renderAccount(withOne({}), server).get('tls')!
  expect(files).toEqual([
    {
      path: 'etc/panel/tls/bob.example.crt',
      mode: 0o644,
      uid: 'root',
      gid: 'root',
      content: `# panel account 01J00000000000000000000001\n${certificatePem}`,
    },
    {
      path: 'etc/panel/tls/bob.example.key',
      mode: 0o600,
      uid: 'root',
      gid: 'root',
      content: `# panel account 01J00000000000000000000001\n${keyPem}`,
    },
  ])
})

test.each([
  { file: '../x' },
  { file: 'a/b.example' },
  { certificatePem: '' },
  { certificatePem: `${certificatePem}x` },
  { certificatePem: `${certificatePem}\n` },
  { certificatePem: keyPem },
  { keyPem: keyPem + keyPem },
  { keyPem: block('ENCRYPTED PRIVATE KEY') },
  { more: 1 },
])('refuses an invalid certificate, and writes nothing: %j', (over) => {
  expect(() => checkAccount(withOne(over))).toThrow()
})

test('the mail servers show a certificate by its name for mail, and are told of a new one', () => {
  const fragment = (over: object) =>
    renderAccount(withOne(over), server)
      .get('tls')!
      .files.find(({ path }) => path === 'etc/panel/mail/names.d/bob')
  expect(fragment({})).toBeUndefined()
  const one = fragment({ mail: true })!
  expect(one).toMatchObject({ mode: 0o600, uid: 'root', gid: 'root' })
  expect(one.content).toMatch(
    /^# [0-9a-f]{64}\nmail\.bob\.example \/etc\/panel\/tls\/bob\.example\.key \/etc\/panel\/tls\/bob\.example\.crt\n$/,
  )
  expect(fragment({ mail: true, keyPem: keyPem.replace('AAAA', 'AAAB') })!.content).not.toBe(one.content)
})

test.each([{ mail: 'mail.alice.example' }, { mail: 1 }, { mail: ['mail'] }])('refuses another name: %j', (over) => {
  expect(() => checkAccount(withOne(over))).toThrow()
})
