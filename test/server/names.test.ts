import { createPrivateKey, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ServerState } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { startPanel, type TestPanel } from '../harness.ts'

const conf = 'etc/panel/nginx/server/names.conf'
const textOf = (panel: TestPanel, path: string): string => readFileSync(join(panel.dir, 'host', path), 'utf8')
const namesIn = (text: string): string[] => [...text.matchAll(/server_name (.*);/g)].map(([, names]) => names!)

const set = async (panel: TestPanel, settings: object) => {
  const { status, body } = await panel.patch('/settings', settings)
  await panel.settle()
  return { status, fields: body.fields }
}
const events = (panel: TestPanel) => ({ events: panel.events(), jobs: panel.jobs() })

describe('names of the server', () => {
  test('shows the names in the settings of programs, and gives the host one certificate for all by a job', async () => {
    const panel = await startPanel()
    panel.forget()
    const settings = { webmail_hostname: 'mail.example.net' }
    expect(await set(panel, settings)).toMatchObject({ status: 200 })
    expect(events(panel)).toEqual({ events: ['job.completed'], jobs: ['server.apply succeeded'] })
    expect(namesIn(textOf(panel, conf))).toEqual(['host.example', 'mail.example.net', 'phpmyadmin.host.example'])
    const visible = new X509Certificate(textOf(panel, 'etc/panel/tls/_server.crt'))
    expect(visible.subjectAltName).toBe(
      'DNS:host.example, DNS:mail.example.net, DNS:phpmyadmin.host.example, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
    )
    const key = readFileSync(join(panel.dir, 'tls/key.pem'), 'utf8')
    expect(textOf(panel, 'etc/panel/tls/_server.key')).toBe(key)
    expect(visible.checkPrivateKey(createPrivateKey(key))).toBe(true)
    await set(panel, settings)
    expect(events(panel)).toEqual({ events: [], jobs: [] })
    await set(panel, { webmail_hostname: null })
    expect(namesIn(textOf(panel, conf))[1]).toBe('webmail.host.example')
    expect(textOf(panel, 'etc/panel/tls/_server.key')).toBe(key)
  })

  test("mail to root goes to an address in the settings, by default the certificate authority's contact", async () => {
    const panel = await startPanel()
    const rows = () => textOf(panel, 'etc/panel/mail/aliases.d/_server')
    await set(panel, { acme_contact_email: 'ca@ext.example', webmail_hostname: 'mail.example.net' })
    expect(rows()).toContain('root@host.example ca@ext.example\n')
    panel.forget()
    expect(await set(panel, { server_contact_email: 'admin@ext.example' })).toMatchObject({ status: 200 })
    expect(events(panel)).toEqual({ events: ['job.completed'], jobs: ['server.apply succeeded'] })
    expect(rows()).toContain('postmaster@host.example admin@ext.example\n')
    panel.forget()
    expect(await set(panel, { server_contact_email: 'me@HOST.example' })).toEqual({
      status: 400,
      fields: { server_contact_email: "must not be at the server's own name, whose mail goes there" },
    })
    expect(events(panel)).toEqual({ events: [], jobs: [] })
    await set(panel, { server_contact_email: null, acme_contact_email: null })
    expect(existsSync(join(panel.dir, 'host/etc/panel/mail/aliases.d/_server'))).toBe(false)
  })

  test.each([
    ['Mail.example.net', 'must be a host name in lower case, such as webmail.example.com'],
    ['mail', 'must be a host name in lower case, such as webmail.example.com'],
    ['a;b.example.net', 'must be a host name in lower case, such as webmail.example.com'],
    ['host.example', "is the server's own hostname"],
    ['phpmyadmin.host.example', 'must differ from the name of the other program'],
    ['alice.example', 'is taken; choose another'],
    ['www.alice.example', 'is taken; choose another'],
  ])('refuses %s as a name of the server, and changes nothing', async (webmail_hostname, error) => {
    const panel = await startPanel()
    await panel.account('alice')
    expect(await set(panel, { webmail_hostname })).toEqual({
      status: 400,
      fields: { webmail_hostname: expect.stringMatching(error === 'is taken; choose another' ? /./ : error) },
    })
    expect(events(panel)).toEqual({ events: [], jobs: [] })
    expect((await panel.get('/settings')).body.webmail_hostname).toBe(null)
  })

  test("refuses the server's names, and those below them, for accounts", async () => {
    const panel = await startPanel()
    await set(panel, { webmail_hostname: 'mail.example.net' })
    const errorOf = async (domain: string, token?: string) =>
      (await panel.post('/accounts', { username: 'bob', domain }, token ? { token } : {})).body.fields?.domain
    expect(await errorOf('mail.example.net')).toBe("is the server's name for webmail")
    expect(await errorOf('a.mail.example.net')).toBe("is a subdomain of the server's name for webmail")
    expect(await errorOf('phpmyadmin.host.example')).toBe("is a subdomain of the server's hostname")
    expect(await errorOf('example.net')).toBe(undefined)
  })

  test('shows drift of the names without a key, and repairs it with all accounts', async () => {
    const panel = await startPanel()
    await set(panel, { webmail_hostname: 'mail.example.net' })
    expect((await panel.get('/host/diff')).body.differences).toEqual([])
    for (const path of [conf, 'etc/panel/tls/_server.key']) writeFileSync(join(panel.dir, 'host', path), 'mine\n')
    const { differences, diff } = (await panel.get('/host/diff')).body
    expect(differences).toMatchObject([
      { path: '/etc/panel/tls/_server.key', change: 'changed' },
      { path: `/${conf}`, change: 'changed' },
    ])
    expect(diff).not.toContain('PRIVATE KEY')
    panel.forget()
    await panel.post('/host/apply', {})
    await panel.settle()
    expect(events(panel)).toEqual({ events: ['job.completed'], jobs: ['host.apply succeeded'] })
    expect((await panel.get('/host/diff')).body.differences).toEqual([])
  })

  test('sets aside virtual hosts that no account has only when the repair of all is requested', async () => {
    const received: (boolean | undefined)[] = []
    const driver = (root: string) => {
      const inner = createDirectoryDriver({ root })
      const apply = inner.applyServer.bind(inner)
      return Object.assign(inner, {
        applyServer: (state: ServerState) => {
          received.push(state.disablesForeignSites)
          return apply(state)
        },
      })
    }
    const panel = await startPanel({ debian: true, driver })
    await panel.settle()
    await set(panel, { webmail_hostname: 'mail.example.net' })
    await panel.post('/host/apply', {})
    await panel.settle()
    expect(received).toEqual([undefined, undefined, true])
  })

  test('sends nothing of the names to a host of files before one was chosen', async () => {
    const panel = await startPanel()
    await panel.post('/host/apply', {})
    await panel.settle()
    expect(existsSync(join(panel.dir, 'host', conf))).toBe(false)
    expect((await panel.get('/host/diff')).body.diff).not.toContain(conf)
  })

  test('sends the names to a machine when the server starts, once', async () => {
    const panel = await startPanel({ debian: true })
    await panel.settle()
    expect(events(panel)).toEqual({ events: ['job.completed'], jobs: ['server.apply succeeded'] })
    await panel.restart()
    await panel.settle()
    expect(events(panel)).toEqual({ events: [], jobs: [] })
  })

  test('gives a machine another self-signed certificate over the same key before the last one ends', async () => {
    const panel = await startPanel({ debian: true })
    await panel.settle()
    panel.forget()
    const [crt, key] = ['crt', 'key'].map((end) => () => textOf(panel, `etc/panel/tls/_server.${end}`))
    const [before, keyBefore] = [crt!(), key!()]
    await panel.clock.advance(3_600_000)
    await panel.settle()
    expect(crt!()).toBe(before)
    panel.clock.jump(370 * 86_400_000)
    for (let tries = 0; tries < 1_000 && crt!() === before; tries++) await panel.clock.advance(60_000)
    await panel.settle()
    expect(panel.jobs()).toContain('server.apply succeeded')
    expect(crt!()).not.toBe(before)
    expect(key!()).toBe(keyBefore)
  })
})

test('the host says which of its names resolve here, what leads the others here, and what they show', async () => {
  const records = new Map<string, string[]>([['webmail.host.example', ['198.51.100.7', '2001:db8::7']]])
  const lookups = {
    txt: async () => [],
    ns: async () => [],
    mx: async () => [],
    addresses: async (name: string) => records.get(name) ?? Promise.reject(new Error('no answer')),
  }
  const panel = await startPanel({ debian: true, lookups })
  await panel.settle()
  const address = (await panel.get('/ips')).body.items[0].address
  records.set('host.example', [address])
  const { names, certificate } = (await panel.get('/host')).body
  const one = (name: string, use: string, addresses: string[], resolves_here: boolean) => {
    return { name, use, addresses, resolves_here, record: `${name}. A ${address}` }
  }
  expect(names).toEqual([
    one('host.example', 'panel', [address], true),
    one('webmail.host.example', 'webmail', ['198.51.100.7', '2001:db8::7'], false),
    one('phpmyadmin.host.example', 'phpmyadmin', [], false),
  ])
  expect(certificate).toEqual({
    kind: 'self_signed',
    names: ['host.example', 'webmail.host.example', 'phpmyadmin.host.example', 'localhost'],
    not_after: expect.any(Number),
  })
  const files = await startPanel({ lookups })
  expect(Object.keys((await files.get('/host')).body)).toEqual([
    'driver',
    'agent',
    'counts',
    'trust_tenants',
    'machine',
  ])
})

test('a host does not wait for name servers that are silent', async () => {
  const silent = new Promise<never>(() => {})
  const lookups = { txt: async () => [], ns: async () => [], mx: async () => [], addresses: () => silent }
  const panel = await startPanel({ debian: true, lookups })
  await panel.settle()
  const requests = panel.get('/host')
  await panel.clock.advance(3_000)
  const { status, body } = await requests
  expect([status, body.names, body.certificate.kind]).toEqual([200, undefined, 'self_signed'])
})

describe('panel at the name of the server', () => {
  test('serves the panel through nginx on a machine, and links there', async () => {
    const panel = await startPanel({ debian: true })
    const alice = await panel.account('alice')
    const link = async () => (await panel.post(`/accounts/${alice.id}/sso`)).body.url
    expect(await link()).toMatch(/^https:\/\/host\.example:7711\/api\/v1\/user\/auth\/sso/)
    expect(textOf(panel, conf)).not.toContain('listen 443')
    await set(panel, { front: true })
    expect(textOf(panel, conf)).toContain('proxy_pass http://unix:/run/panel-front/panel.sock:;')
    expect(await link()).toMatch(/^https:\/\/host\.example\/api\/v1\/user\/auth\/sso/)
    const hook = await panel.post('/webhooks', { url: 'https://host.example/x', events: ['*'] })
    expect(hook.body.fields.url).toBe('must not point to the panel itself')
  })

  test('needs a machine for the panel at the name of the server', async () => {
    const panel = await startPanel()
    panel.forget()
    expect(await set(panel, { front: true })).toEqual({
      status: 400,
      fields: { front: 'needs a Debian host: run panel host setup' },
    })
    expect(events(panel)).toEqual({ events: [], jobs: [] })
  })

  test('takes the last address that nginx names as the caller, and nothing else', async () => {
    const panel = await startPanel({ trusts: (address) => address === '10.0.0.1' })
    const token = await panel.token(['full-access'], { allowed_ips: ['192.0.2.7'] })
    const ask = async (forwarded: string | undefined, front = true) => {
      const headers = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded }
      return (await panel.get('/token', { token, headers, front, from: '127.0.0.1' })).status
    }
    expect(await ask('192.0.2.7')).toBe(200)
    expect(await ask('203.0.113.9, 192.0.2.7')).toBe(200)
    expect(await ask('192.0.2.7, 203.0.113.9')).toBe(403)
    expect(await ask('192.0.2.7, 10.0.0.1')).toBe(200)
    expect(await ask(undefined)).toBe(400)
    expect(await ask('192.0.2.7, nonsense')).toBe(400)
    expect(await ask('192.0.2.7', false)).toBe(403)
    expect((await panel.get('/accounts', { front: true, headers: { 'X-Forwarded-For': '127.0.0.1' } })).status).toBe(
      401,
    )
  })
})
