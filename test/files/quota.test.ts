import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { type Json, type Reply, startPanel, type TestPanel } from '../harness.ts'

let panel: TestPanel
let alice: Json

const mebibyte = 1024 * 1024
const nine = Buffer.alloc(9 * mebibyte, 'x')
const usedUp = [409, 'limit-reached', { disk_quota_mb: 'The disk quota is used up.' }]

beforeEach(async () => {
  panel = await startPanel()
  alice = await panel.account('alice')
  await panel.patch(`/accounts/${alice.id}`, { disk_quota_mb: 20 })
  await panel.settle()
})

const at = (path: string): string => `/accounts/${alice.id}${path}`
const raw = (method: string, path: string, body: Buffer, headers = {}): Promise<Reply> =>
  panel.send(method, at(path), { body, headers: { 'Content-Type': 'application/octet-stream', ...headers } })
const put = (name: string, headers = {}): Promise<Reply> => raw('PUT', `/files/content?path=tmp/${name}`, nine, headers)
const length = { 'Content-Length': String(nine.length) }
const received = ({ status, code, body }: Reply): unknown[] => [status, code, body.fields]
const stored = (): string[] => readdirSync(join(panel.dir, 'host/home/alice/tmp')).sort()
const used = async (): Promise<number> => (await panel.get(at('/usage'))).body.disk_mb.used

test.each([
  ['of a length that is announced', length],
  ['of a length that is not', {}],
])('counts what was written since the last measurement: bodies %s', async (_, headers) => {
  for (const name of ['a', 'b']) expect((await put(name, headers)).status).toBe(200)
  for (const name of ['c', 'd']) expect(received(await put(name, headers))).toEqual(usedUp)
  expect([stored(), await used()]).toEqual([['a', 'b'], 18])
})

test('receives nothing of a body whose announced length does not fit', async () => {
  const announced = { 'Content-Length': String(21 * mebibyte) }
  const one = Buffer.from('x')
  const begun = await panel.post(at('/uploads'), { size: 20 * mebibyte })
  const refused = await raw('PUT', '/files/content?path=tmp/a', one, announced)
  expect([received(refused), stored()]).toEqual([usedUp, []])
  expect(received(await raw('PATCH', `/uploads/${begun.body.id}?offset=0`, one, announced))).toEqual(usedUp)
  expect((await panel.get(at(`/uploads/${begun.body.id}`))).body.offset).toBe(0)
  expect((await put('b', length)).status).toBe(200)
})

test('two concurrent bodies do not both take the last space', async () => {
  await put('a')
  const both = await Promise.all([put('b', length), put('c', length)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(stored()).toHaveLength(2)
})

test('a file that is overwritten repeatedly counts once', async () => {
  for (let n = 0; n < 4; n++) expect((await put('a', length)).status).toBe(200)
  expect((await put('b', length)).status).toBe(200)
  expect(received(await put('c', length))).toEqual(usedUp)
})

test('copies count, and each job measures what it left', async () => {
  await put('a', length)
  const copy = async (to: string): Promise<Json> => {
    const { job_id } = (await panel.post(at('/files/copy'), { from: 'tmp/a', to: `tmp/${to}` })).body
    await panel.settle()
    return (await panel.get(`/jobs/${job_id}`)).body.job
  }
  expect(await copy('b')).toMatchObject({ status: 'succeeded' })
  expect(await used()).toBe(18)
  expect(await copy('c')).toMatchObject({ status: 'failed', error: 'The disk quota is used up.' })
  expect(stored()).toEqual(['a', 'b'])
  for (const name of stored()) await panel.delete(at(`/files?path=tmp/${name}`))
  const inTrash = 'The disk quota is used up. The trash counts, too, with 2 items: empty it to make room.'
  expect(received(await put('d', length))).toEqual([...usedUp.slice(0, 2), { disk_quota_mb: inTrash }])
  expect((await panel.post(at('/uploads'), { size: 1e9 })).body.fields.disk_quota_mb).toMatch(
    /more bytes\. The trash counts, too, with 2 items: empty it to make room\.$/,
  )
  await panel.delete(at('/trash'))
  await panel.settle()
  expect(await used()).toBe(0)
  expect((await put('d', length)).status).toBe(200)
})

test('parts of uploads count', async () => {
  const send = async (): Promise<unknown[]> => {
    const begun = await panel.post(at('/uploads'), { size: nine.length })
    return received(await raw('PATCH', `/uploads/${begun.body.id}?offset=0`, nine, length))
  }
  const sent = [await send(), await send(), await send()]
  expect(sent.map(([status]) => status)).toEqual([200, 200, 409])
  expect(sent[2]).toEqual(usedUp)
})

test('what was written before a restart counts', async () => {
  for (const name of ['a', 'b']) await put(name, length)
  await panel.restart()
  expect(received(await put('c', length))).toEqual(usedUp)
  expect(await used()).toBe(18)
})
