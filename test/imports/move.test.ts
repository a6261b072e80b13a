import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { differencesOf } from '../../src/areas/imports/compare/differences.ts'
import type { Visited } from '../../src/outgoing/visit.ts'
import { ownCertificate } from '../../src/server/tls.ts'
import type { Json } from '../harness.ts'
import { cpmove } from './archives.ts'
import { imported, panelWith, reportOf } from './panel.ts'

const page = (text: string, more: Partial<Visited> = {}): Visited => ({
  status: 200,
  type: 'text/html; charset=utf-8',
  body: Buffer.from(text),
  ...more,
})

test.each<[string, Visited, Visited, string[]]>([
  [
    'nonces, dates and scripts',
    page('<p>Hello 1 May</p><script>ab</script>'.padEnd(300)),
    page('<p>Hello 2 May</p><script>cde</script>'.padEnd(300)),
    [],
  ],
  ['a status', page('x'), page('x', { status: 500 }), ['status 200 → 500']],
  [
    'a redirect to the own name',
    page('', { status: 301, location: 'https://www.a.example/x' }),
    page('', { status: 301, location: 'http://a.example/x' }),
    [],
  ],
  [
    'a redirect elsewhere',
    page('', { status: 301, location: 'https://a.example/x' }),
    page('', { status: 301, location: 'https://evil.example/x' }),
    ['redirect /x → https://evil.example/x'],
  ],
  ['a type', page('x'), page('x', { type: 'text/plain' }), ['type text/html → text/plain']],
  [
    'a title',
    page('<title>Shop</title>'),
    page('<title>Error</title>'),
    ['title Shop → Error', '0 % of the words in common'],
  ],
  [
    'a page without PHP',
    page(`<p>${'one two three '.repeat(9)}</p>`),
    page('<?php echo 1;'),
    ['133 bytes → 13 bytes', '0 % of the words in common'],
  ],
])('compares %s', (_name, before, after, differences) => {
  expect(differencesOf(before, after, ['a.example', 'www.a.example'])).toEqual(differences)
})

test('hostile pages are compared in a moment', () => {
  const began = performance.now()
  for (const text of [
    '<'.repeat(500_000),
    '<title '.repeat(70_000),
    '<script '.repeat(60_000),
    '</script '.repeat(55_000),
  ])
    differencesOf(page(text), page(text), [])
  expect(performance.now() - began).toBeLessThan(10_000)
})

/** A server whose pages say which one it is. */
async function site(host: string, port: number, pages: Readonly<Record<string, string>>) {
  const requests: string[] = []
  const dir = mkdtempSync(join(tmpdir(), 'panel-tls-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const pair = await ownCertificate(dir, 'alice.example', Date.now())
  const server: Server = createServer(pair, (request, response) => {
    requests.push(`${request.method} ${request.headers.host}${request.url} ${request.headers.cookie ?? 'no cookie'}`)
    const text = pages[`${request.headers.host}${request.url}`]
    response.writeHead(text === undefined ? 404 : 200, { 'Content-Type': 'text/html' }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  onTestFinished(() => void server.close())
  return { requests, port: (server.address() as AddressInfo).port }
}

test('pages are compared on both servers, by GET alone, and the report says what differs', async () => {
  let port = 0
  const { panel, path } = await panelWith({ 'alice.tar.gz': cpmove() }, { outgoing: { visitPort: () => port } })
  const [{ address: main }] = (await panel.get('/ips')).body.items
  const old = await site('127.0.0.2', 0, { 'alice.example/': '<p>Welcome</p>', 'shop.example/': '<p>Shop</p>' })
  port = old.port
  const own = await site(main, old.port, { 'alice.example/': '<p>Welcome</p>' })
  const one = await imported(panel, { path: path('alice.tar.gz') })
  const at = `/imports/${one.id}`
  const address = '127.0.0.2'
  const pagesIn = async () => (await reportOf(panel, one.id)).filter(({ part }: Json) => part === 'pages')
  const compare = async (body: object) => {
    const sent = await panel.post(`${at}/compare`, body)
    expect(sent.status).toBe(202)
    await panel.settle()
    return (await panel.get(`/jobs/${sent.body.job_id}`)).body.job
  }
  expect(await compare({ address })).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('import_networks'),
  })
  expect((await compare({})).status).toBe('failed')
  await panel.patch('/settings', { import_networks: ['127.0.0.0/8'] })
  expect(await compare({ address })).toMatchObject({ status: 'succeeded', kind: 'import.compare' })
  expect(old.requests.toSorted()).toEqual(
    ['alice.example', 'blog.alice.example', 'shop.example'].map((host) => `GET ${host}/ no cookie`),
  )
  expect(own.requests).toHaveLength(3)
  expect((await pagesIn()).map(({ item, outcome, text }: Json) => [item, outcome, text])).toEqual([
    ['shop.example/', 'changed', 'status 200 → 404; 11 bytes → 0 bytes; 0 % of the words in common'],
    ['alice.example/', 'as_is', 'the same'],
    ['blog.alice.example/', 'as_is', 'the same'],
  ])
  await compare({ address, paths: ['/', 'shop.example/x?a=1'] })
  expect((await pagesIn()).map(({ item }: Json) => item)).toEqual(['alice.example/', 'shop.example/x?a=1'])
  const before = await panel.get(at)
  for (const [body, field] of [
    [{ paths: ['https://x.example/'] }, 'paths'],
    [{ paths: ['/a b'] }, 'paths'],
    [{ paths: ['/\r\nX: y'] }, 'paths'],
    [{ paths: ['other.example/'] }, 'paths'],
    [{ paths: Array.from({ length: 51 }, () => '/') }, 'paths'],
    [{ address: 'old.example' }, 'address'],
  ] as const) {
    const refused = await panel.post(`${at}/compare`, body)
    expect([refused.status, Object.keys(refused.body.fields)[0]?.split('.')[0]]).toEqual([400, field])
  }
  expect((await panel.get(at)).body).toEqual(before.body)
  expect((await panel.patch('/settings', { import_networks: ['nothing'] })).body.fields).toHaveProperty(
    'import_networks',
  )
  expect(panel.events().filter((type) => !type.startsWith('job.'))).toEqual(['account.created'])
})

test('nothing is compared before the account is there', async () => {
  const { panel, path } = await panelWith({ 'alice.tar.gz': cpmove() })
  const { body } = await panel.post('/imports', { path: path('alice.tar.gz') })
  await panel.settle()
  expect((await panel.post(`/imports/${body.import.id}/compare`, {})).code).toBe('incomplete')
})

test('the checklist follows the import and the public DNS', async () => {
  const answers: Record<string, string[]> = { ns: ['ns1.old.example'], addresses: ['192.0.2.10'] }
  let requests = 0
  const lookups = {
    txt: async () => [],
    ns: async () => {
      requests++
      return answers['ns']!
    },
    mx: async () => [{ priority: 0, host: 'alice.example.' }],
    addresses: async () => answers['addresses']!,
  }
  const { panel, path } = await panelWith({ 'alice.tar.gz': cpmove() }, { lookups })
  const [{ address }] = (await panel.get('/ips')).body.items
  const { body } = await panel.post('/imports', { path: path('alice.tar.gz') })
  await panel.settle()
  const at = `/imports/${body.import.id}`
  const checklist = async (): Promise<Json[]> => (await panel.get(`${at}/checklist`)).body.items
  const early = await checklist()
  expect(early.filter(({ step }) => step === 1).map(({ domain, done }) => [domain, done])).toEqual([
    ['alice.example', false],
    ['shop.example', false],
    ['alice.test', false],
  ])
  expect(early.some(({ done }) => done)).toBe(false)
  const before = requests
  await checklist()
  expect(requests).toBe(before)
  await panel.post(`${at}/run`, {})
  await panel.settle()
  await panel.post(`${at}/activate`)
  await panel.settle()
  await panel.clock.advance(60_000)
  const active = await checklist()
  expect(active.find(({ step }) => step === 5)).toMatchObject({ done: true, now: 'active' })
  const ofAlice = active.filter(({ step, domain }) => step === 6 && domain === 'alice.example')
  expect(ofAlice.map(({ now, then, done }) => [now, then, done])).toEqual([
    ['ns1.old.example', 'host.example', false],
    ['192.0.2.10', address, false],
    ['192.0.2.10', address, false],
    ['0 alice.example', expect.stringMatching(/^\d+ mail\.alice\.example$/), false],
  ])
  expect(active.find(({ step }) => step === 7)).toMatchObject({ now: '192.0.2.10', then: address })
  answers['ns'] = ['HOST.example.']
  await panel.clock.advance(60_000)
  const moved = await checklist()
  expect(moved.filter(({ step }) => step === 1 || step === 6).every(({ done }) => done)).toBe(true)
})

test('the checklist says what to do where no resolver answers', async () => {
  const { panel, path } = await panelWith({ 'alice.tar.gz': cpmove() })
  const one = await imported(panel, { path: path('alice.tar.gz') })
  const { items } = (await panel.get(`/imports/${one.id}/checklist`)).body
  expect(items.filter(({ step }: Json) => step === 6).every(({ now, done }: Json) => now === undefined && !done)).toBe(
    true,
  )
})
