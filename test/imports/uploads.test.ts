import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { day } from '../../src/shared/time.ts'
import { type Json, type Reply, startPanel, type TestPanel } from '../harness.ts'
import { Browser } from '../sessions/browser.ts'
import { soon } from '../wait-for.ts'
import { resellerToken } from '../world.ts'
import { cpmove, wordpress } from './archives.ts'
import { reportOf } from './panel.ts'

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
const filesIn = (panel: TestPanel): string[] => {
  const dir = join(panel.dir, 'import-uploads')
  return existsSync(dir) ? readdirSync(dir) : []
}

type Sender = Pick<TestPanel, 'send' | 'post' | 'get' | 'delete'>

const send = (who: Pick<Sender, 'send'>, id: string, offset: number, body: Buffer, more = {}): Promise<Reply> =>
  who.send('PATCH', `/imports/uploads/${id}?offset=${offset}`, {
    body,
    headers: { 'Content-Type': 'application/octet-stream', ...more },
  })

const problem = ({ status, code, body }: Reply): unknown[] => [status, code, Object.keys(body?.fields ?? {})]

test('an archive is sent in parts, imported, and its file is removed once the account is active', async () => {
  const panel = await startPanel()
  const bytes = cpmove()
  const begun = await panel.post('/imports/uploads', { size: bytes.length, sha256: sha256(bytes), name: 'a.tar.gz' })
  expect([begun.status, begun.body]).toMatchObject([201, { size: bytes.length, offset: 0, name: 'a.tar.gz' }])
  const { id } = begun.body
  expect((await send(panel, id, 0, bytes.subarray(0, 500))).body).toMatchObject({ offset: 500 })
  const wrong = await send(panel, id, 400, bytes.subarray(400))
  expect([...problem(wrong), wrong.headers.get('upload-offset')]).toEqual([409, 'changed', [], '500'])
  expect(problem(await panel.post('/imports', { upload_id: id }))).toEqual([409, 'incomplete', []])
  expect(problem(await send(panel, id, 500, Buffer.concat([bytes, bytes])))).toEqual([400, 'validation', ['body']])
  expect((await panel.get(`/imports/uploads/${id}`)).body.offset).toBe(500)
  await panel.restart()
  expect((await send(panel, id, 500, bytes.subarray(500))).body.offset).toBe(bytes.length)
  expect((await panel.get('/imports/uploads')).body.items).toHaveLength(1)
  const created = await panel.post('/imports', { upload_id: id, run: true })
  expect([created.status, created.body.import?.source]).toMatchObject([202, { kind: 'upload' }])
  expect(created.body.import.source).not.toHaveProperty('file')
  expect((await panel.get('/imports/uploads')).body.items).toEqual([])
  expect(problem(await panel.post('/imports', { upload_id: id }))).toEqual([400, 'validation', ['upload_id']])
  await panel.settle()
  const at = `/imports/${created.body.import.id}`
  expect((await panel.get(at)).body).toMatchObject({ status: 'imported', username: 'alice' })
  expect(filesIn(panel)).toEqual([id])
  await panel.post(`${at}/activate`)
  await panel.settle()
  expect((await panel.get(at)).body.status).toBe('active')
  expect(filesIn(panel)).toEqual([])
})

test('a wrong checksum and a file that is not an archive are refused, and removal leaves nothing', async () => {
  const panel = await startPanel()
  const bytes = cpmove()
  const upload = async (content: Buffer, sum?: string): Promise<string> => {
    const { id } = (await panel.post('/imports/uploads', { size: content.length, ...(sum && { sha256: sum }) })).body
    await send(panel, id, 0, content)
    return id
  }
  const page = await panel.post('/imports', { upload_id: await upload(Buffer.from('<p>secret words</p>')) })
  expect([page.status, page.body.fields]).toEqual([
    400,
    { upload_id: 'is not an account archive of cPanel, DirectAdmin or Hestia: a tar, also as gz, zst, bz2 or xz' },
  ])
  expect(JSON.stringify(page.body)).not.toContain(panel.dir)
  const wrong = await panel.post('/imports', { upload_id: await upload(bytes, sha256(Buffer.from('other'))) })
  await panel.settle()
  const at = `/imports/${wrong.body.import.id}`
  expect((await panel.get(at)).body).toMatchObject({ status: 'failed', error: expect.stringContaining('sha256') })
  expect((await panel.delete(at)).status).toBe(202)
  await panel.settle()
  expect(filesIn(panel)).toHaveLength(1)
  const [{ id }] = (await panel.get('/imports/uploads')).body.items
  expect((await panel.delete(`/imports/uploads/${id}`)).status).toBe(204)
  expect(filesIn(panel)).toEqual([])
})

test('uploads are limited in size and number, and expire', async () => {
  const panel = await startPanel()
  await panel.patch('/settings', { import_upload_max: 1000 })
  const begin = (size: number) => panel.post('/imports/uploads', { size })
  expect(problem(await begin(1001))).toEqual([400, 'validation', ['size']])
  for (let n = 0; n < 10; n++) expect((await begin(10)).status).toBe(201)
  expect(problem(await begin(10))).toEqual([409, 'too-many', []])
  const [{ id }] = (await panel.get('/imports/uploads')).body.items
  await send(panel, id, 0, Buffer.alloc(10))
  await panel.patch('/settings', { import_upload_max: 2 ** 43 })
  await panel.clock.leap(7 * day)
  expect(problem(await panel.get(`/imports/uploads/${id}`))).toEqual([404, 'not-found', []])
  await soon(() => expect(filesIn(panel)).toEqual([]))
  expect(problem(await begin(2 ** 43))).toEqual([507, 'storage-full', []])
})

test('a path and an upload together, or neither, are refused', async () => {
  const panel = await startPanel()
  for (const body of [{}, { path: '/root/x.tar', upload_id: '01KF0RDQG0BR6P0TQEZX2J6R4R' }])
    expect(problem(await panel.post('/imports', body))).toEqual([400, 'validation', ['path']])
})

test('a reseller imports its own uploads alone, with the limits of a package', async () => {
  const panel = await startPanel()
  const password = 'correct horse battery'
  const [rita, sam] = [await panel.account('rita', { password }), await panel.account('sam', { password })]
  for (const { id } of [rita, sam])
    expect((await panel.post('/resellers', { account_id: id, acl: ['create-acct', 'list-accts'] })).status).toBe(201)
  const browser = async (name: string) => {
    const one = new Browser(panel)
    await one.signIn(name, password, 'admin')
    return one
  }
  const [own, other] = [await browser('rita'), await browser('sam')] as const
  const bytes = cpmove()
  const { body } = await own.post('/imports/uploads', { size: bytes.length })
  expect(problem(await other.get(`/imports/uploads/${body.id}`))).toEqual([404, 'not-found', []])
  expect(problem(await other.post('/imports', { upload_id: body.id }))).toEqual([400, 'validation', ['upload_id']])
  expect((await send(own as never, body.id, 0, bytes)).status).toBe(200)
  expect(problem(await own.post('/imports', { path: '/root/a.tar.gz' }))).toEqual([403, 'forbidden', ['path']])
  const foreign = await own.post('/imports', {
    upload_id: body.id,
    owner_id: sam.id,
  })
  expect(problem(foreign)).toEqual([403, 'forbidden', ['owner_id']])
  const created = await own.post('/imports', { upload_id: body.id, limits: 'source' })
  expect(created.status).toBe(202)
  await panel.settle()
  const at = `/imports/${created.body.import.id}`
  const conflicts = (await reportOf(panel, created.body.import.id)).filter(
    ({ outcome }: Json) => outcome === 'conflict',
  )
  expect(conflicts).toMatchObject([{ item: 'limits', fix: '--limits package' }])
  expect((await own.patch(at, { limits: 'package' })).body.status).toBe('ready')
  expect((await own.post(`${at}/run`, {})).status).toBe(202)
  await panel.settle()
  const { account_id, status, error } = (await panel.get(at)).body
  expect([status, error]).toEqual(['imported', undefined])
  const account = (await panel.get(`/accounts/${account_id}`)).body
  expect(account).toMatchObject({ owner_id: rita.id, package_name: 'default' })
  expect((await other.get(at)).status).toBe(404)
})

test('a reseller takes room only while more is free than its archives take, and none of root', async () => {
  const panel = await startPanel()
  await panel.patch('/settings', { import_upload_max: 2 ** 44 })
  const { bavail, blocks, bsize } = await statfs(panel.dir)
  const room = (bavail - blocks / 10) * bsize
  const begin = async (token: string | undefined, part: number): Promise<unknown> => {
    const body = { size: Math.floor(room * part) }
    return (await panel.post('/imports/uploads', body, token === undefined ? {} : { token })).status
  }
  const [rita, rob] = await Promise.all(
    ['rita', 'rob'].map(async (name) => {
      const { id } = await panel.account(name, { make_reseller: true })
      return resellerToken(panel, id, ['create-acct'])
    }),
  )
  expect([await begin(rita, 0.6), await begin(rita, 0.4), await begin(rita, 0.2)]).toEqual([507, 201, 507])
  expect([await begin(rob, 0.4), await begin(rob, 0.25), await begin(undefined, 0.9)]).toEqual([507, 201, 201])
})

test('failed imports count, as they keep their archives', async () => {
  const panel = await startPanel()
  const { id } = (await panel.post('/imports/uploads', { size: cpmove().length })).body
  await send(panel, id, 0, cpmove())
  const made = await panel.post('/imports', { upload_id: id })
  await panel.settle()
  const at = `/imports/${made.body.import.id}`
  await panel.store.change(() => {
    const { sqlite } = panel.store
    const row = sqlite.prepare('SELECT * FROM imports').get() as Json
    const names = Object.keys(row)
    const add = sqlite.prepare(`INSERT INTO imports (${names.join(', ')}) VALUES (${names.map((one) => `@${one}`)})`)
    for (let n = 0; n < 499; n++)
      add.run({ ...row, id: panel.panel.runtime.id(), status: 'failed', error: 'x', upload_id: null })
  })
  const { id: more } = (await panel.post('/imports/uploads', { size: cpmove().length })).body
  await send(panel, more, 0, cpmove())
  expect((await panel.post('/imports', { upload_id: more })).code).toBe('too-many')
  expect((await panel.delete(at)).status).toBe(202)
  await panel.settle()
  expect((await panel.post('/imports', { upload_id: more })).status).toBe(202)
})

test('planning large imports of a reseller has an allowance of time, which root and others do not wait for', async () => {
  const panel = await startPanel()
  const users = Array.from({ length: 20_000 }, (_, n) => `u${n}`)
  const lines = (rest: string): string => users.map((name) => `${name}:${rest}`).join('')
  const etc = 'homedir/etc/alice.example'
  const archive = cpmove([
    ...wordpress().filter(({ path }) => !`${path}`.startsWith(etc)),
    { path: `${etc}/passwd`, content: lines('x:1:1::/m:/n\n') },
    { path: `${etc}/shadow`, content: lines('$1$abcdefgh$irWbblnpmw.5z7wgBnprh0:1::::::\n') },
  ])
  const { id: rita } = await panel.account('rita', { make_reseller: true })
  const token = await resellerToken(panel, rita, ['create-acct', 'list-pkgs'])
  const { id } = (await panel.post('/imports/uploads', { size: archive.length }, { token })).body
  await panel.send('PATCH', `/imports/uploads/${id}?offset=0`, {
    body: archive,
    headers: { 'Content-Type': 'application/octet-stream' },
    token,
  })
  const at = `/imports/${(await panel.post('/imports', { upload_id: id }, { token })).body.import.id}`
  await panel.settle()
  const { counts } = (await panel.get(at, { token })).body
  expect([counts.as_is > 20_000, (await panel.get('/imports', { token })).body.items[0].counts]).toEqual([true, counts])
  const plan = async (who?: string): Promise<Reply> => panel.patch(at, { as: 'alice2' }, who ? { token: who } : {})
  let last = await plan(token)
  for (let n = 0; n < 20 && last.status === 200; n++) last = await plan(token)
  expect([last.code, Number(last.headers.get('retry-after')) > 0]).toEqual(['rate-limited', true])
  expect((await panel.get(`${at}/report`, { token })).code).toBe('rate-limited')
  expect([(await plan()).status, (await panel.get(at, { token })).status]).toEqual([200, 200])
  await panel.clock.leap(60_000)
  expect((await plan(token)).status).toBe(200)
  await panel.clock.leap(60_000)
  for (let n = 0; n < 40; n++) await panel.get(`${at}/report`)
  expect((await panel.get(`${at}/report`, { token })).status).toBe(200)
})
