import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { packing } from '../../src/web/http/responses.ts'
import { startPanel } from '../harness.ts'
import { password, Visitor } from './visitor.ts'

/** What a browser loads of a page at its first visit, by address. */
async function loads(visitor: Visitor, path: string): Promise<Map<string, number>> {
  const page = await visitor.get(path)
  expect(page.status).toBe(200)
  const files = new Map([[path, gzipSync(page.body, packing).length]])
  const linked = [...page.body.matchAll(/(?:href|src)="(\/assets\/[^"#]+)/g)].map(([, file]) => file!)
  for (const file of new Set(linked)) {
    const { status, body } = await visitor.get(file)
    expect([file, status]).toEqual([file, 200])
    files.set(file, gzipSync(body, { level: 9 }).length)
  }
  return files
}

const total = (files: ReadonlyMap<string, number>): number => [...files.values()].reduce((sum, one) => sum + one, 0)
const sizeOf = (files: ReadonlyMap<string, number>, end: string): number =>
  total(new Map([...files].filter(([file]) => file.endsWith(end))))

test('a page of 50 rows is 20 kB with everything at the first visit, 6 kB after, and 14 kB with 200 rows', {
  timeout: 60_000,
}, async () => {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  const { id: package_id } = (await panel.get('/packages')).body.items[0]
  for (let number = 0; number < 200; number++)
    await panel.post('/accounts', { username: `user${number}`, domain: `user${number}.example`, package_id })
  const root = await new Visitor(panel).signIn('root', 'admin')
  const first = await loads(root, '/admin/accounts')
  expect(total(first)).toBeLessThan(20_000)
  expect(first.size).toBeLessThanOrEqual(6)
  expect(first.get('/admin/accounts')).toBeLessThan(6_000)
  expect(sizeOf(first, '.css')).toBeLessThan(8_000)
  expect(sizeOf(first, '.js')).toBeLessThanOrEqual(3_000)
  const long = await loads(root, '/admin/accounts?per_page=200')
  expect(long.get('/admin/accounts?per_page=200')).toBeLessThan(14_000)
  expect(total(long)).toBeLessThan(28_000)
  const rowsOn = ({ body }: { body: string }): number => body.match(/<tr/g)!.length - 1
  for (const [path, rows, max] of [
    ['/admin/audit', 50, 6_000],
    ['/admin/events?jobs=true', 200, 14_000],
  ] as const) {
    expect([path, rowsOn(await root.get(path))]).toEqual([path, rows])
    expect((await loads(root, path)).get(path)).toBeLessThan(max)
  }
})

test('pages are compressed for browsers that accept it', async () => {
  const panel = await startPanel()
  const url = 'https://host.example:7711/user/login'
  const ask = (encoding: string) =>
    panel.panel.app.fetch(new Request(url, { headers: { Accept: 'text/html', 'Accept-Encoding': encoding } }), {
      local: false,
      address: '198.51.100.7',
    })
  const [packed, plain] = [await ask('br, gzip'), await ask('identity')]
  expect([packed.headers.get('content-encoding'), plain.headers.get('content-encoding')]).toEqual(['gzip', null])
  expect((await packed.arrayBuffer()).byteLength).toBeLessThan((await plain.arrayBuffer()).byteLength)
})
