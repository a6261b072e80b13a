import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { archive, uploaded } from '../apps/fixtures.ts'
import { type Json, type Reply, startPanel, type TestPanel } from '../harness.ts'
import { zipOf } from '../host/archive/made.ts'

let panel: TestPanel
let alice: Json

const reached = 'The limit on files and directories is reached.'
const refusal = [409, 'limit-reached', { inodes_limit: reached }]

beforeEach(async () => {
  panel = await startPanel()
  alice = await panel.account('alice')
  // The panel's directories for unfinished work are there from the first write on.
  for (const name of ['one', 'two']) await put(name)
  await send(await begun())
})

const at = (path: string): string => `/accounts/${alice.id}${path}`
const raw = (method: string, path: string, body: Buffer): Promise<Reply> =>
  panel.send(method, at(path), { body, headers: { 'Content-Type': 'application/octet-stream' } })
const put = (name: string): Promise<Reply> => raw('PUT', `/files/content?path=tmp/${name}`, Buffer.from('x'))
const begun = async (): Promise<Reply> => panel.post(at('/uploads'), { size: 1 })
const send = ({ body }: Reply): Promise<Reply> => raw('PATCH', `/uploads/${body.id}?offset=0`, Buffer.from('x'))
const received = ({ status, code, body }: Reply): unknown[] => [status, code, body.fields]
const usage = async (): Promise<Json> => (await panel.get(at('/usage'))).body.inodes
const stored = (): string[] => readdirSync(join(panel.dir, 'host/home/alice/tmp')).sort()

/** Measures, and leaves room for so many files and directories. */
async function leave(count: number): Promise<void> {
  expect((await job(panel.delete(at('/trash')))).status).toBe('succeeded')
  const { used } = await usage()
  expect((await panel.patch(at(''), { inodes_limit: used + count })).status).toBe(202)
  await panel.settle()
  expect(await usage()).toEqual({ used, limit: used + count })
}

async function job(started: Promise<Reply>): Promise<Json> {
  const { job_id } = (await started).body
  await panel.settle()
  return (await panel.get(`/jobs/${job_id}`)).body.job
}

test('refuses new files and directories beyond the limit, and says so like the disk quota', async () => {
  await leave(2)
  expect((await put('three')).status).toBe(200)
  expect((await panel.post(at('/files/directories'), { path: 'tmp/dir' })).status).toBe(201)
  expect(received(await put('four'))).toEqual(refusal)
  expect(received(await panel.post(at('/files/directories'), { path: 'tmp/other' }))).toEqual(refusal)
  expect(received(await begun())).toEqual(refusal)
  expect(stored()).toEqual(['dir', 'one', 'three', 'two'])
})

test('takes new content of a file at the limit', async () => {
  await leave(0)
  expect((await put('one')).status).toBe(200)
  expect(received(await put('three'))).toEqual(refusal)
})

test('counts each missing directory of a path', async () => {
  await leave(2)
  const make = (path: string) => panel.post(at('/files/directories'), { path, parents: true })
  expect(received(await make('tmp/a/b/c'))).toEqual(refusal)
  expect(stored()).toEqual(['one', 'two'])
  expect((await make('tmp/a/b')).status).toBe(201)
  expect(received(await make('tmp/a/c'))).toEqual(refusal)
})

test('does not give the last file to two concurrent bodies', async () => {
  await leave(1)
  const both = await Promise.all([put('three'), put('four')])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
})

test('refuses the bytes of an upload begun before the limit was reached', async () => {
  const upload = await begun()
  await leave(0)
  expect(received(await send(upload))).toEqual(refusal)
})

test('removed files make room', async () => {
  await leave(0)
  expect((await put('three')).status).toBe(409)
  for (const name of ['one', 'two']) await panel.delete(at(`/files?path=tmp/${name}`))
  await job(panel.delete(at('/trash')))
  expect((await put('three')).status).toBe(200)
})

test.each([
  ['copies', 'copy', { from: 'tmp/tree', to: 'tmp/copy' }],
  ['archives', 'archive', { paths: ['tmp/tree'], to: 'tmp/tree.zip', format: 'zip' }],
  ['unpacks', 'extract', { path: 'tmp/full.zip', to: 'tmp/full' }],
])('%s nothing beyond the limit', async (_, verb, body) => {
  await panel.post(at('/files/directories'), { path: 'tmp/tree/inner', parents: true })
  await put('tree/file')
  await raw('PUT', '/files/content?path=tmp/full.zip', zipOf({ path: 'a/b' }, { path: 'a/c' }, { path: 'd' }))
  const before = stored()
  await leave(verb === 'archive' ? 0 : 2)
  expect(await job(panel.post(at(`/files/${verb}`), body))).toMatchObject({ status: 'failed', error: reached })
  expect(stored()).toEqual(before)
  await leave(verb === 'archive' ? 1 : 4)
  expect(await job(panel.post(at(`/files/${verb}`), body))).toMatchObject({ status: 'succeeded' })
})

test('deploys nothing beyond the limit, and what fits', async () => {
  const { body: app } = await panel.post(at('/apps'), { name: 'shop', kind: 'static' })
  await panel.settle()
  const deploy = async (): Promise<Json> => {
    const upload_id = await uploaded(panel, alice.id, archive({ 'index.html': 'x', 'a/b': 'x', 'a/c': 'x' }))
    return job(panel.post(at(`/apps/${app.app.id}/deploy`), { upload_id }))
  }
  await leave(3)
  const error = 'The release has more files and directories than the account may still make.'
  expect(await deploy()).toMatchObject({ status: 'failed', error: expect.stringContaining(error) })
  expect(readdirSync(join(panel.dir, 'host/home/alice/apps/shop/releases'))).toEqual([])
  await leave(10)
  expect(await deploy()).toMatchObject({ status: 'succeeded' })
})
