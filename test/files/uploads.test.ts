import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { beforeEach, expect, test } from 'vitest'
import { day } from '../../src/shared/time.ts'
import { type Json, type Reply, startPanel, type TestPanel } from '../harness.ts'
import { unknown } from '../world.ts'

let panel: TestPanel
let alice: Json
let home: string

beforeEach(async () => {
  panel = await startPanel()
  alice = await panel.account('alice')
  home = join(panel.dir, 'host/home/alice')
})

const at = (path: string): string => `/accounts/${alice.id}${path}`
const begin = (body: object): Promise<Reply> => panel.post(at('/uploads'), body)
const part = (id: string, offset: number, body: string, more = {}): Promise<Reply> =>
  panel.send('PATCH', at(`/uploads/${id}?offset=${offset}`), {
    body,
    headers: { 'Content-Type': 'application/octet-stream', ...more },
  })
const save = (id: string, body: object): Promise<Reply> => panel.post(at(`/uploads/${id}/save`), body)
const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const received = ({ status, code, body }: Reply): unknown[] => [status, code, Object.keys(body?.fields ?? {})]

test('a file is sent in parts and saved whole, and the upload is gone', async () => {
  const begun = await begin({ size: 10, sha256: sumOf('0123456789'), name: 'digits' })
  expect([begun.status, begun.body]).toMatchObject([201, { size: 10, offset: 0, name: 'digits' }])
  const { id } = begun.body
  expect((await part(id, 0, '0123')).body).toMatchObject({ id, offset: 4 })
  expect((await panel.get(at(`/uploads/${id}`))).body).toMatchObject({ offset: 4 })
  const wrong = await part(id, 6, '6789')
  expect([...received(wrong), wrong.headers.get('upload-offset')]).toEqual([409, 'changed', [], '4'])
  expect(received(await save(id, { path: 'tmp/digits' }))).toEqual([409, 'incomplete', []])
  expect((await part(id, 4, '456789')).body.offset).toBe(10)
  const saved = await save(id, { path: 'tmp/digits', mode: '0640' })
  expect([saved.status, saved.body]).toMatchObject([200, { path: 'tmp/digits', size: 10, mode: '0640' }])
  expect(readFileSync(join(home, 'tmp/digits'), 'utf8')).toBe('0123456789')
  expect(received(await panel.get(at(`/uploads/${id}`)))).toEqual([404, 'not-found', []])
  expect((await panel.get(at('/uploads'))).body.items).toEqual([])
  expect(readdirSync(join(home, '.panel/uploads'))).toEqual([])
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

test('the parts that one sender sends are one row of the audit trail; another sender makes another', async () => {
  const { id } = (await begin({ size: 6 })).body
  const other = { Authorization: `Bearer ${await panel.token(['full-access'], { account: alice.id })}` }
  for (const [offset, more] of [[0], [1], [2, other], [3, other], [4]] as const)
    expect((await part(id, offset, 'x', more)).status).toBe(200)
  expect((await part(id, 1, 'x')).code).toBe('changed')
  await panel.restart()
  await part(id, 5, 'x')
  const { items } = (await panel.get('/audit?operation=sendUpload')).body
  expect(items.map(({ object_id, after }: Json) => [object_id, after.offset])).toEqual([0, 2, 5].map((at) => [id, at]))
})

test('a wrong checksum prevents saving, even if the host was restarted', async () => {
  const { id } = (await begin({ size: 4, sha256: sumOf('0123') })).body
  await part(id, 0, '01')
  await panel.restart()
  await part(id, 2, '2X')
  expect(received(await save(id, { path: 'tmp/a' }))).toEqual([409, 'incomplete', []])
  expect(existsSync(join(home, 'tmp/a'))).toBe(false)
})

test('more bytes than announced are refused, and those before are kept', async () => {
  const { id } = (await begin({ size: 4 })).body
  await part(id, 0, '01')
  expect(received(await part(id, 2, '23456'))).toEqual([400, 'validation', ['body']])
  expect(received(await part(id, 9, ''))).toEqual([400, 'validation', ['offset']])
  expect((await panel.get(at(`/uploads/${id}`))).body.offset).toBe(2)
})

test('nothing is kept of a part that is too long, however late that shows', async () => {
  const size = 300_000
  const bytes = 'x'.repeat(size)
  const { id } = (await begin({ size, sha256: sumOf(bytes) })).body
  await part(id, 0, bytes.slice(0, 100_000))
  const offset = async () => (await panel.get(at(`/uploads/${id}`))).body.offset
  const beyond = 'y'.repeat(200_002)
  expect(received(await part(id, 100_000, 'y', { 'Content-Length': '200002' }))).toEqual([400, 'validation', ['body']])
  expect(statSync(join(home, '.panel/uploads', id)).size).toBe(100_000)
  const slowly = Readable.from(Array.from({ length: 4 }, () => Buffer.from(beyond.slice(0, 60_000))))
  const unknownLength = await panel.panel.app.fetch(
    new Request(`https://host.example:7711/api/v1${at(`/uploads/${id}?offset=100000`)}`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/octet-stream' },
      body: Readable.toWeb(slowly) as ReadableStream,
      duplex: 'half',
    }),
    { local: true, address: '192.0.2.1' },
  )
  expect(unknownLength.status).toBe(400)
  expect(await offset()).toBe(100_000)
  expect((await part(id, 100_000, bytes.slice(100_000))).body.offset).toBe(size)
  expect((await save(id, { path: 'tmp/x' })).status).toBe(200)
  expect(readFileSync(join(home, 'tmp/x'), 'utf8')).toBe(bytes)
})

test('an existing file is replaced only on request, and keeps its permissions', async () => {
  const one = (await begin({ size: 0 })).body
  expect((await save(one.id, { path: 'tmp/a', mode: '0600' })).status).toBe(200)
  const two = (await begin({ size: 1 })).body
  await part(two.id, 0, 'x')
  expect(received(await save(two.id, { path: 'tmp/a' }))).toEqual([409, 'exists', []])
  expect((await save(two.id, { path: 'tmp/a', overwrite: true })).body).toMatchObject({ mode: '0600', size: 1 })
  expect(statSync(join(home, 'tmp/a')).mode & 0o777).toBe(0o600)
})

test('allows ten uploads, and makes room for one when another is cancelled or a day old', async () => {
  const made = []
  for (let n = 0; n < 10; n++) made.push((await begin({ size: 1 })).body.id)
  expect(received(await begin({ size: 1 }))).toEqual([409, 'too-many', []])
  await part(made[0], 0, 'x')
  expect((await panel.delete(at(`/uploads/${made[0]}`))).status).toBe(204)
  expect(readdirSync(join(home, '.panel/uploads'))).toEqual([])
  expect((await begin({ size: 1 })).status).toBe(201)
  await panel.clock.leap(day)
  expect(received(await panel.get(at(`/uploads/${made[1]}`)))).toEqual([404, 'not-found', []])
  expect((await begin({ size: 1 })).status).toBe(201)
  expect((await panel.get(at('/uploads'))).body.items).toHaveLength(1)
})

test('refuses to start an upload beyond the quota, and does not find one of another account', async () => {
  await panel.patch(`/accounts/${alice.id}`, { disk_quota_mb: 1 })
  await panel.settle()
  expect(received(await begin({ size: 2 * 1024 * 1024 }))).toEqual([409, 'limit-reached', ['disk_quota_mb']])
  const { id } = (await begin({ size: 1 })).body
  const bob = await panel.account('bob')
  expect(received(await panel.get(`/accounts/${bob.id}/uploads/${id}`))).toEqual([404, 'not-found', []])
  expect(received(await part(unknown, 0, 'x'))).toEqual([404, 'not-found', []])
})
