import { readFileSync } from 'node:fs'
import forge from 'node-forge'
import { beforeEach, expect, test } from 'vitest'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { password, textOf, Visitor } from '../web/visitor.ts'
import { certificate, file, inDir, openssl, threeLevels } from './openssl.ts'

const { intermediate } = threeLevels()
const made = certificate({ names: ['alice.example'], issuer: intermediate, to: '20991231000000Z' })

let panel: TestPanel
let visitor: Visitor
let account: string
beforeEach(async () => {
  panel = await startPanel()
  account = (await panel.account('alice', { password })).id
  visitor = await new Visitor(panel).signIn('alice')
})

function pkcs12(secret: string, options: readonly string[] = [], one = made): Buffer {
  const out = file('')
  const content = ['-inkey', file(one.key), '-in', file(one.certificate), '-certfile', file(intermediate.certificate)]
  openssl('pkcs12', '-export', ...options, ...content, '-passout', `pass:${secret}`, '-out', out)
  return readFileSync(inDir(out))
}

const send = async (bytes: Buffer, secret: string) =>
  visitor.upload(
    await visitor.get('/user/ssl/new'),
    'installCertificate',
    { password: secret },
    { name: 'x.pfx', bytes },
    0,
    ['password'],
  )

const installed = async (): Promise<Json> => {
  const [{ id }] = (await panel.get(`/accounts/${account}/ssl/certificates`)).body.items
  return (await panel.get(`/accounts/${account}/ssl/certificates/${id}`)).body
}

test.each([
  ['the default of OpenSSL 3', pkcs12('secret'), 'secret'],
  ['-legacy', pkcs12('secret', ['-legacy']), 'secret'],
  ['no password', pkcs12(''), ''],
  ['letters beyond ASCII in its password', pkcs12('ü secret'), 'ü secret'],
  ['PEM with the key in it', Buffer.from(made.key + made.certificate + intermediate.certificate), ''],
])('a browser installs a file with %s', async (_, bytes, secret) => {
  panel.forget()
  const sent = await send(bytes, secret)
  expect([sent.status, sent.headers.get('location')]).toEqual([
    303,
    expect.stringMatching(/^\/user\/ssl\/alice\.example\?done=installCertificate/),
  ])
  await panel.settle()
  expect([panel.events(), panel.jobs()]).toEqual([['ssl.installed', 'job.completed'], ['ssl.install succeeded']])
  expect(await installed()).toMatchObject({
    kind: 'custom',
    certificate: made.certificate,
    ca_bundle: intermediate.certificate,
  })
})

const slow = () => {
  const asn1 = forge.asn1.fromDer(pkcs12('secret').toString('latin1')) as unknown as { value: { value: Json[] }[] }
  asn1.value[2]!.value[2]!.value = '\x7f\xff\xff\xff'
  return Buffer.from(forge.asn1.toDer(asn1 as never).getBytes(), 'latin1')
}
const foreign = certificate({ names: ['other.example'], to: '20991231000000Z' })

test.each([
  ['no password', pkcs12('secret'), '', /password.*is needed: the file is locked/i],
  ['another password', pkcs12('secret'), 'other', /password.*does not open the file; give the one that was set/i],
  ['a part of a file', pkcs12('secret').subarray(0, 900), 'secret', /is damaged, or of a form that cannot be read/],
  [
    'a file of something else',
    Buffer.from('GIF89a\0\xff'),
    '',
    /has no certificate: it is neither PEM, DER nor PKCS #12/,
  ],
  ['a certificate without its key', Buffer.from(made.certificate), '', /key.*is required/i],
  ['a certificate of another domain', pkcs12('', [], foreign), '', /does not cover alice\.example/],
  ['a file of more than 64 KiB', Buffer.alloc(70_000, '-'), '', /must not exceed 65536 bytes/],
  ['a key derived two thousand million times', slow(), 'secret', /takes too long to open/],
])(
  '%s is refused in words, changes nothing, and shows no secret',
  { timeout: 30_000 },
  async (_, bytes, secret, words) => {
    panel.forget()
    const before = await installed()
    const sent = await send(bytes, secret)
    expect([sent.status < 300, sent.status < 500]).toEqual([false, true])
    expect(textOf(sent.body)).toMatch(words)
    if (secret !== '') expect(sent.body).not.toContain(`value="${secret}"`)
    expect(sent.body).not.toContain('PRIVATE KEY')
    expect([panel.events(), panel.jobs(), await installed()]).toEqual([[], [], before])
  },
)

test('the page of a certificate installs another on its domain', async () => {
  const page = await visitor.get('/user/ssl/alice.example/install')
  const sent = await visitor.upload(page, 'installCertificate', {}, { name: 'x.pfx', bytes: pkcs12('') })
  expect(sent.status).toBe(303)
})

const pem = (name: string, field: string, text: string) => ({ name, field, bytes: Buffer.from(text) })

test('certificate, key and chain are sent as three files', async () => {
  const page = await visitor.get('/user/ssl/new')
  const files = [
    pem('a.crt', 'file', made.certificate),
    pem('a.key', 'key_file', made.key),
    pem('ca.crt', 'chain_file', intermediate.certificate),
  ]
  const sent = await visitor.upload(page, 'installCertificate', {}, files)
  expect(sent.status).toBe(303)
  expect(await installed()).toMatchObject({ certificate: made.certificate, ca_bundle: intermediate.certificate })
})

test('certificate and key can be pasted, without any file', async () => {
  const page = await visitor.get('/user/ssl/new')
  const pasted = { certificate: made.certificate, private_key: made.key, ca_bundle: intermediate.certificate }
  expect((await visitor.upload(page, 'installCertificate', pasted, [])).status).toBe(303)
  expect(await installed()).toMatchObject({ certificate: made.certificate })
})

test.each([
  ['nothing', [], 'File : choose the file of the certificate, or paste the certificate below'],
  ['a key that is none', [pem('a', 'file', made.certificate), pem('k', 'key_file', 'x')], 'is neither PEM nor DER'],
  ['a chain that is none', [pem('a', 'file', made.certificate), pem('k', 'chain_file', '')], 'is neither PEM nor DER'],
  ['no key', [pem('a', 'file', made.certificate)], 'Private key : is required: add the key that belongs to it'],
  ['another domain', [pem('a', 'file', foreign.certificate), pem('k', 'key_file', foreign.key)], 'does not cover'],
  ['a long key', [pem('a', 'file', 'x'), pem('k', 'key_file', 'x'.repeat(70_000))], 'must not exceed 65536 bytes'],
  ['five files', [...Array(5).keys()].map((at) => pem('a', `f${at}`, 'x')), 'choose the file of the certificate'],
])('%s is refused in words, and changes nothing', async (_, files, words) => {
  const before = await installed()
  panel.forget()
  const sent = await visitor.upload(await visitor.get('/user/ssl/new'), 'installCertificate', {}, files)
  expect([sent.status < 300, sent.status < 500]).toEqual([false, true])
  expect(textOf(sent.body)).toContain(words)
  expect(sent.body).not.toContain('PRIVATE KEY')
  expect([panel.events(), panel.jobs(), await installed()]).toEqual([[], [], before])
})

test('after a refusal the command names the chosen domain', async () => {
  const { body } = await panel.post(`/accounts/${account}/domains`, { name: 'blog.alice.example', kind: 'sub' })
  await panel.settle()
  const chosen = { domain_id: body.domain.id }
  const file = pem('a', 'file', made.certificate)
  const sent = await visitor.upload(await visitor.get('/user/ssl/new'), 'installCertificate', chosen, file)
  expect(textOf(sent.body)).toContain('panel ssl install --domain blog.alice.example --certificate')
})
