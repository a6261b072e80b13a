import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { adminer, mysqldump80 } from '../field/dumps.ts'
import type { Json, TestPanel } from '../harness.ts'
import { job_id, nothing, occurred, problem, withAlice } from './fixtures.ts'

async function withShop() {
  const made = await withAlice()
  const shop = await made.database('shop')
  const put = (name: string, bytes: string | Buffer) =>
    writeFileSync(join(made.panel.dir, 'host/home/alice', name), bytes)
  return { ...made, shop, put, at: `${made.path}/databases/${shop.id}` }
}

const logOf = async (panel: TestPanel, id: string): Promise<string[]> =>
  (await panel.get(`/jobs/${id}`)).body.log.map(({ level, message }: Json) => `${level}: ${message}`)

test('imports a dump of the home by a job, and says what came and what was left out', async () => {
  const { panel, at, shop, put } = await withShop()
  put('old.sql', mysqldump80)
  const reply = await panel.post(`${at}/import`, { path: 'old.sql', replace: true })
  expect([reply.status, reply.body]).toEqual([202, { database: { ...shop, status: 'active' }, job_id }])
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['mysql.database.import succeeded'] })
  const { import: body } = (await panel.get(`${at}/dumps`)).body
  expect(body).toMatchObject({ job_id: reply.body.job_id, tables: 1, rows: 3, bytes: mysqldump80.length })
  expect(body.warnings[0]).toEqual({ line: 12, reason: "SET GLOBAL gtid_purged left out: it is the whole server's" })
  expect(await logOf(panel, reply.body.job_id)).toEqual(
    expect.arrayContaining([
      'info: 1 table, 3 rows imported into alice_shop',
      `warn: line 12: ${body.warnings[0].reason}`,
    ]),
  )
})

test('imports an upload, and uses it up', async () => {
  const { panel, at, path } = await withShop()
  const dump = gzipSync(adminer)
  const account = path.replace(/\/mysql$/, '')
  const { body: upload } = await panel.post(`${account}/uploads`, { size: dump.length, name: 'dump.sql.gz' })
  expect(problem(await panel.post(`${at}/import`, { upload_id: upload.id }))).toEqual([409, 'incomplete'])
  const sent = await panel.send('PATCH', `${account}/uploads/${upload.id}?offset=0`, {
    body: dump,
    headers: { 'Content-Type': 'application/octet-stream' },
  })
  expect(sent.status).toBe(200)
  panel.forget()
  await panel.post(`${at}/import`, { upload_id: upload.id })
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['mysql.database.import succeeded'] })
  expect((await panel.get(`${at}/dumps`)).body.import).toMatchObject({ tables: 1, rows: 3 })
  expect((await panel.get(`${account}/uploads`)).body.items).toEqual([])
})

test('a dump that cannot be imported fails the job at once, with what to do', async () => {
  const { panel, at, put } = await withShop()
  put('shop.dump', 'PGDMP\x01\x0e\0')
  const { body } = await panel.post(`${at}/import`, { path: 'shop.dump' })
  expect(await occurred(panel)).toEqual({ events: ['job.failed'], jobs: ['mysql.database.import failed'] })
  const { job } = (await panel.get(`/jobs/${body.job_id}`)).body
  expect([job.attempts, job.error]).toEqual([
    1,
    expect.stringMatching(/^It is a dump in pg_dump's custom format.*pgloader/),
  ])
  expect((await panel.get(`${at}/dumps`)).body).toEqual({ database: 'alice_shop' })
})

test.each<[string, object, [number, string, string?]]>([
  ['nothing', {}, [400, 'validation', 'path']],
  ['both', { path: 'x.sql', upload_id: '01K9ZQ5T3M8V4X7C2B6N1D0FGH' }, [400, 'validation', 'path']],
  ['an unknown upload', { upload_id: '01K9ZQ5T3M8V4X7C2B6N1D0FGH' }, [400, 'validation', 'upload_id']],
  ['a path out of the home', { path: '../bob/x.sql' }, [400, 'validation', 'path']],
  ['two lines', { path: 'x.sql', from: 'a\nb' }, [400, 'validation', 'from']],
])('refuses %s', async (_, body, refusal) => {
  const { panel, at } = await withShop()
  expect(problem(await panel.post(`${at}/import`, body))).toEqual(refusal)
  expect(await occurred(panel)).toEqual(nothing)
})

test('a file that is not there, or a link, fails the job', async () => {
  const { panel, at } = await withShop()
  const { body } = await panel.post(`${at}/import`, { path: 'missing.sql' })
  expect(await occurred(panel)).toEqual({ events: ['job.failed'], jobs: ['mysql.database.import failed'] })
  expect((await panel.get(`/jobs/${body.job_id}`)).body.job.attempts).toBe(1)
})

test('exports to a file of the home, packed by its ending', async () => {
  const { panel, at, put } = await withShop()
  put('old.sql', adminer)
  await panel.post(`${at}/import`, { path: 'old.sql' })
  await panel.settle()
  panel.forget()
  const reply = await panel.post(`${at}/export`, { path: 'out.sql.gz' })
  expect([reply.status, reply.body]).toMatchObject([202, { job_id, file: 'out.sql.gz', path: 'out.sql.gz' }])
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['mysql.database.export succeeded'] })
  expect(gunzipSync(readFileSync(join(panel.dir, 'host/home/alice/out.sql.gz'))).toString()).toContain(
    'INSERT INTO `wp_options`',
  )
  expect(problem(await panel.get(`${at}/export`))).toEqual([409, 'incomplete'])
  await panel.post(`${at}/export`, { path: 'out.sql.gz' })
  expect((await occurred(panel)).jobs).toEqual(['mysql.database.export failed'])
  await panel.post(`${at}/export`, { path: 'out.sql.gz', overwrite: true, compression: 'none' })
  expect((await occurred(panel)).jobs).toEqual(['mysql.database.export succeeded'])
})

test('exports for a download, for a day', async () => {
  const { panel, at } = await withShop()
  const { body } = await panel.post(`${at}/export`, { compression: 'none' })
  expect(body).toMatchObject({ file: expect.stringMatching(/^alice_shop-\d{8}-\d{6}\.sql$/) })
  expect(body.path).toBeUndefined()
  await panel.settle()
  const reply = await panel.get(`${at}/export`)
  expect([reply.status, reply.headers.get('content-disposition')]).toEqual([200, expect.stringContaining(body.file)])
  await panel.clock.leap(25 * 3_600_000)
  expect(problem(await panel.get(`${at}/export`))).toEqual([409, 'incomplete'])
})

test('an account token needs files for a path of the home, and mysql alone for the rest', async () => {
  const { panel, at, alice } = await withShop()
  const token = await panel.token(['mysql:write'], { account: alice.id })
  const send = (call: string, body: object) => panel.send('POST', `${at}/${call}`, { body, token })
  expect(problem(await send('import', { path: 'x.sql' }))).toEqual([403, 'token-scope'])
  expect(problem(await send('export', { path: 'x.sql' }))).toEqual([403, 'token-scope'])
  expect((await send('export', {})).status).toBe(202)
})
