import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { trialLimits, tryBackup } from '../../src/host/backup/trial.ts'
import { made as make } from '../fixtures/index.ts'
import type { Json, TestPanel } from '../harness.ts'
import { hasMariaDb, MariaDb } from '../mysql/mariadb.ts'
import { second } from '../nodes/second.ts'
import { soon } from '../wait-for.ts'
import { events, nothing, received, sha256, withHome } from './fixtures.ts'
import { onMariaDb } from './on-mariadb.ts'

const minute = 60_000
const hour = 60 * minute
/** The clock starts at noon, backups are made at 2, and tried at 5. */
const untilTrials = 17 * hour
const trial = { events: ['job.completed'], jobs: ['backup.trial succeeded'] }

async function night(panel: TestPanel, after = untilTrials) {
  panel.forget()
  panel.clock.jump(after)
  await panel.clock.advance(minute)
  return events(panel)
}

/** Replaces a file of a backup, and makes the checksums fit: a backup that was bad when it was made. */
function replace({ panel, folder }: { panel: TestPanel; folder: string }, id: string, name: string, bytes: Buffer) {
  writeFileSync(join(folder, id, name), bytes)
  const file = join(folder, id, 'manifest.json')
  const manifest = JSON.parse(readFileSync(file, 'utf8'))
  const entry = manifest.entries.find((one: Json) => one.name === name)
  Object.assign(entry, { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') })
  writeFileSync(file, JSON.stringify(manifest))
  return panel.store.change(() =>
    panel.store.sqlite.prepare('UPDATE backups SET manifest_sha256 = ? WHERE id = ?').run(sha256(file), id),
  )
}

const zstd = (input: string | Buffer): Buffer => execFileSync('zstd', ['-qc'], { input })

const notices = async (panel: TestPanel) =>
  (await panel.get('/notices')).body.items.filter(({ kind }: Json) => kind === 'backup-damaged')

test("each night the day's backups are restored for trial, once", async () => {
  const { panel, made, get } = await withHome()
  const { id } = await made()
  expect(await night(panel, untilTrials - 2 * minute)).toEqual(nothing)
  expect(await night(panel, minute)).toEqual(trial)
  expect(await get(id)).toMatchObject({ status: 'complete', tried_at: panel.clock.now() })
  const { items } = (await panel.get('/jobs?kind=backup.trial')).body
  const { log } = (await panel.get(`/jobs/${items[0].id}`)).body
  expect(log.map(({ message }: Json) => message)).toContainEqual(
    expect.stringMatching(/^restored for trial: (?:files\.tar\.zst, mail\.tar\.zst|mail\.tar\.zst, files\.tar\.zst)$/),
  )
  const trials = join(panel.dir, 'host/var/lib/panel-host/trials')
  expect(existsSync(trials) ? readdirSync(trials) : []).toEqual([])
  expect(await night(panel, hour)).toEqual(nothing)
  expect(await night(panel, 24 * hour)).toEqual(nothing)
  expect(await notices(panel)).toEqual([])
})

test('a night tries ten backups at most, and a server that starts in the day none', async () => {
  const { panel, path } = await withHome()
  for (let n = 0; n < 12; n++) {
    expect((await panel.post(path, { parts: ['config', 'mail'] })).status).toBe(202)
    await panel.settle()
  }
  expect((await night(panel)).jobs).toEqual(Array.from({ length: 10 }, () => 'backup.trial succeeded'))
  expect(await night(panel, minute)).toEqual(nothing)
  for (let n = 0; n < 2; n++) {
    await panel.post(path, { parts: ['config'] })
    await panel.settle()
  }
  expect(await night(panel, 31 * hour)).toEqual(nothing)
})

test('what cannot be unpacked is damaged, with a notice that says why; the other parts can be restored', async () => {
  const home = await withHome()
  const { panel, path, made, get } = home
  const { id } = await made()
  await replace(home, id, 'files.tar.zst', zstd('this is not a tar archive, though long enough'.repeat(40)))
  expect(await night(panel)).toEqual(trial)
  const why = 'files.tar.zst cannot be restored: The archive is damaged: it cannot be read.'
  expect(await get(id)).toMatchObject({ status: 'damaged', damage: why })
  expect(await notices(panel)).toMatchObject([{ object_id: id, detail: `The backup is damaged: ${why}` }])
  // Its checksums are right, so a check must not call it complete.
  await panel.post(`${path}/${id}/check`)
  await panel.settle()
  expect((await get(id)).status).toBe('damaged')
  expect(received(await panel.post(`${path}/${id}/restore`))).toBe('409 incomplete')
  panel.forget()
  expect((await panel.post(`${path}/${id}/restore`, { parts: ['mail'], safety: false })).status).toBe(202)
  expect((await events(panel)).jobs).toEqual(['backup.restore succeeded'])
})

test('what has changed since is damaged', async () => {
  const { panel, folder, made, get } = await withHome()
  const { id } = await made()
  const archive = join(folder, id, 'mail.tar.zst')
  const bytes = readFileSync(archive)
  bytes[50]! ^= 1
  writeFileSync(archive, bytes)
  await night(panel)
  expect(await get(id)).toMatchObject({ status: 'damaged', damage: 'mail.tar.zst has changed.' })
})

test('a node whose trial never ends holds up no other node', async () => {
  const { panel, made, get } = await withHome()
  const { host } = await second(panel, { name: 'web2' })
  const bob = await panel.account('bob', { node: 'web2' })
  const { id } = await made({ parts: ['mail'] })
  await panel.post(`/accounts/${bob.id}/backups`, { parts: ['config'] })
  await panel.settle()
  let calls = 0
  vi.spyOn(host, 'tryBackup').mockImplementation((_, { signal } = {}) => {
    calls++
    return new Promise((_resolve, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)))
  })
  panel.clock.jump(untilTrials)
  await panel.clock.advance(minute)
  await soon(() => expect(calls).toBe(1))
  await soon(async () => expect((await get(id)).tried_at).toBeDefined())
})

test('more than the limits is left out, and says nothing about the backup', async () => {
  const { panel, folder, made, alice } = await withHome()
  const { id, manifest_sha256: manifestSha256 } = await made()
  const roots = { backups: join(folder, '..'), host: join(panel.dir, 'host') }
  const account = { id: alice.id, uid: alice.uid, username: 'alice', mainDomain: 'alice.example' }
  const request = { place: { account: alice.id, backup: id }, manifestSha256, account }
  const found = (limits: object) => tryBackup(roots, undefined, request, {}, { ...trialLimits, ...limits })
  const large = await found({ bytes: 1000 })
  expect(large).toMatchObject({ damage: [], left: ['files.tar.zst: too large to be tried'] })
  const many = await found({ entries: 5 })
  expect(many.damage).toEqual([])
  expect(many.left).toContain('files.tar.zst: more than 5 files, too many to be tried')
  const file = join(folder, id, 'manifest.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"content_bytes": \d+/g, '"content_bytes": 1'))
  const understated = { ...request, manifestSha256: sha256(file) }
  const limits = { ...trialLimits, bytes: 1000 }
  expect(await tryBackup(roots, undefined, understated, {}, limits)).toMatchObject({
    damage: [],
    tried: ['mail.tar.zst'],
    left: ['files.tar.zst: larger than its manifest says, too large to be tried'],
  })
  expect(readdirSync(join(roots.host, 'var/lib/panel-host/trials'))).toEqual([])
})

describe.skipIf(!hasMariaDb)('dumps', { timeout: 60_000 }, () => {
  let server: MariaDb
  beforeAll(async () => {
    server = await MariaDb.start()
  }, 60_000)
  afterAll(() => server?.stop())

  test('a dump is loaded into a database of its own; one that fails is named with the line', async () => {
    const home = await withHome({ driver: onMariaDb(server) })
    const { panel, alice, made, get } = home
    for (const name of ['shop', 'blog']) await make(panel, `/accounts/${alice.id}/mysql/databases`, { name })
    await panel.settle()
    server.run('CREATE TABLE alice_shop.t (a int); INSERT INTO alice_shop.t VALUES (1);', ['--user=root'])
    const good = await made({ parts: ['mysql'] })
    const bad = await made({ parts: ['mysql'] })
    await replace(
      home,
      bad.id,
      'db/alice_blog.sql.zst',
      zstd('CREATE TABLE t (a int);\nINSERT INTO absent VALUES (1);\n'),
    )
    expect((await night(panel)).jobs).toEqual(['backup.trial succeeded', 'backup.trial succeeded'])
    expect(await get(good.id)).toMatchObject({ status: 'complete', tried_at: expect.any(Number) })
    expect(await get(bad.id)).toMatchObject({
      status: 'damaged',
      damage: expect.stringMatching(/^db\/alice_blog\.sql\.zst cannot be restored: .*ERROR 1146 .* at line 2: /),
    })
    const left = server.run("SHOW DATABASES LIKE 'panel%'; SELECT User FROM mysql.user WHERE User LIKE 'panel%'", [
      '--user=root',
    ])
    expect(left.stdout).toBe('')
    expect(server.run('SELECT a FROM alice_shop.t', ['--user=root']).stdout).toBe('1\n')
  })
})
