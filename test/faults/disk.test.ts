import { closeSync, mkdirSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { type Reply, startPanel, type TestPanel } from '../harness.ts'
import { Disk, noDisk } from './disk.ts'
import { newDirectory, start } from './process.ts'

const why = noDisk()
const first = ({ status, code }: Reply): string => `${status} ${code ?? ''}`.trim()
const small = (place: number) => ({ name: `package ${place}` })

/** Changes until one is refused. */
async function change(panel: TestPanel, from = 0): Promise<Reply> {
  for (let place = from; place < from + 2000; place++) {
    const reply = await panel.post('/packages', small(place))
    if (reply.status !== 201) return reply
  }
  throw new Error('the disk never filled up')
}

/** Every row, except uses and probes. */
function rows(panel: TestPanel): Record<string, unknown[]> {
  const { sqlite } = panel.store
  const tables = ['accounts', 'packages', 'jobs', 'events', 'audit', 'idempotency', 'tokens']
  return Object.fromEntries(tables.map((table) => [table, sqlite.prepare(`SELECT * FROM ${table}`).all()]))
}

describe.skipIf(why)(`full disk${why ? ` (skipped: ${why})` : ''}`, () => {
  test('refuses changes with 507 and stores nothing of them; reads work, and everything does with space', async () => {
    const disk = new Disk('4m')
    const panel = await startPanel({ dir: disk.path, driver: () => createDirectoryDriver({ root: newDirectory() }) })
    const alice = await panel.account('alice')
    disk.fill()
    expect(first(await change(panel))).toBe('507 storage-full')
    const before = rows(panel)
    for (const attempt of [
      await panel.post('/accounts', { username: 'bob', domain: 'bob.example', password: 'correct horse' }),
      await panel.post(`/accounts/${alice.id}/suspend`, {}),
      await panel.delete(`/accounts/${alice.id}?confirm=alice`),
      await panel.post('/packages', { name: 'late' }, { headers: { 'Idempotency-Key': 'one' } }),
    ])
      expect(first(attempt)).toBe('507 storage-full')
    const crowd = Array.from({ length: 12 }, (_, place) => panel.post('/packages', { name: `crowd ${place}` }))
    expect(new Set((await Promise.all(crowd)).map(first))).toEqual(new Set(['507 storage-full']))
    expect(rows(panel)).toEqual(before)
    expect((await panel.get(`/accounts/${alice.id}`)).body.status).toBe('active')
    expect((await panel.send('GET', 'https://host.example:7711/healthz')).status).toBe(503)
    disk.empty()
    await panel.clock.advance(5000)
    expect(first(await panel.post('/packages', { name: 'late' }, { headers: { 'Idempotency-Key': 'one' } }))).toBe(
      '201',
    )
    const bob = await panel.account('bob')
    expect(bob.status).toBe('active')
    expect((await panel.send('GET', 'https://host.example:7711/healthz')).status).toBe(200)
    expect(panel.store.sqlite.pragma('integrity_check', { simple: true })).toBe('ok')
  })
  test('delays the job whose result it cannot store, which completes once there is space', async () => {
    const disk = new Disk('4m')
    let beforeUsage = (): void => {}
    const driver = createDirectoryDriver({ root: newDirectory() })
    const { usage } = driver
    driver.usage = (accounts) => {
      beforeUsage()
      return usage.call(driver, accounts)
    }
    const panel = await startPanel({ dir: disk.path, driver: () => driver })
    beforeUsage = () => disk.fill()
    const { account, job_id } = (await panel.post('/accounts', { username: 'bob', domain: 'bob.example' })).body
    await panel.settle()
    const status = async () => (await panel.get(`/jobs/${job_id}`)).body.job.status
    expect(await status()).toBe('running')
    expect((await panel.get(`/accounts/${account.id}`)).body.status).toBe('provisioning')
    beforeUsage = () => {}
    disk.empty()
    await panel.clock.advance(40_000)
    await panel.settle()
    expect([await status(), (await panel.get(`/accounts/${account.id}`)).body.status]).toEqual(['succeeded', 'active'])
  })
  test("fails a job's attempt with a sentence when the host's disk is full, and succeeds in the next one", async () => {
    const disk = new Disk('256k')
    const panel = await startPanel({ driver: () => createDirectoryDriver({ root: join(disk.path, 'host') }) })
    disk.fill()
    const { account, job_id } = (await panel.post('/accounts', { username: 'bob', domain: 'bob.example' })).body
    await panel.settle()
    const { job, log } = (await panel.get(`/jobs/${job_id}`)).body
    expect(job).toMatchObject({ status: 'queued', attempts: 1, error: 'The disk of the host is full.' })
    expect(log.at(-1)).toMatchObject({ level: 'error', message: 'The disk of the host is full.' })
    disk.empty()
    disk.remount('size=8m')
    await panel.clock.advance(1000)
    await panel.settle()
    expect((await panel.get(`/accounts/${account.id}`)).body.status).toBe('active')
    expect((await panel.get(`/jobs/${job_id}`)).body.job.error).toBeUndefined()
  })
  test('reports a full disk in words when starting a server on it', async () => {
    const disk = new Disk('4m')
    const dir = join(disk.path, 'data')
    mkdirSync(dir, { mode: 0o700 })
    disk.fill()
    const server = await start(dir)
    expect(await server.ended).toBe(1)
    expect(server.stderr).toMatch(/^error: .*(no space left on|ENOSPC: no space left)/)
    disk.empty()
    const next = await start(dir)
    expect((await next.ask('GET', '/healthz'))?.status).toBe(200)
  })
})

describe.skipIf(why)(`disk mounted read-only${why ? ` (skipped: ${why})` : ''}`, () => {
  test('reports a read-only disk in words when starting a server on it', async () => {
    const disk = new Disk('4m')
    const dir = join(disk.path, 'data')
    mkdirSync(dir, { mode: 0o700 })
    const server = await start(dir)
    await server.stop()
    disk.remount('ro')
    const next = await start(dir)
    expect(await next.ended).toBe(1)
    expect(next.stderr).toMatch(/cannot be written to|read-only file system/)
  })
})

test('a job whose result the disk refused once has not failed: it is repeated, at no cost of an attempt', async () => {
  const driver = createDirectoryDriver({ root: newDirectory() })
  const panel = await startPanel({ driver: () => driver })
  const { change } = panel.store
  const { usage } = driver
  driver.usage = (accounts) => {
    panel.store.change = () => {
      panel.store.change = change
      return Promise.reject(Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' }))
    }
    driver.usage = usage
    return usage.call(driver, accounts)
  }
  const { job_id } = (await panel.post('/accounts', { username: 'bob', domain: 'bob.example' })).body
  await panel.settle()
  const job = async () => (await panel.get(`/jobs/${job_id}`)).body.job
  expect(await job()).toMatchObject({ status: 'running', attempts: 1 })
  await panel.clock.advance(40_000)
  await panel.settle()
  expect(await job()).toMatchObject({ status: 'succeeded', attempts: 1 })
})

test('a log line that the disk refused once is written with the next', async () => {
  const driver = createDirectoryDriver({ root: newDirectory() })
  const panel = await startPanel({ driver: () => driver })
  const { change } = panel.store
  const { usage } = driver
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  driver.usage = async (accounts) => {
    panel.store.change = (work) => {
      panel.store.change = change
      return change<never>(() => {
        work()
        throw full
      })
    }
    await panel.clock.advance(200)
    expect(panel.store.change).toBe(change)
    return usage.call(driver, accounts)
  }
  const { job_id } = (await panel.post('/accounts', { username: 'bob', domain: 'bob.example' })).body
  await panel.settle()
  const { log } = (await panel.get(`/jobs/${job_id}`)).body
  expect(log.map(({ message }: { message: string }) => message)).toContain('bob: files are in place')
})

describe('changes of one group', () => {
  test('fails all changes of a group if the disk failed one of them', async () => {
    const { store } = await startPanel()
    const error = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_READ' })
    const write = () => store.change(() => void store.sqlite.exec("INSERT INTO settings VALUES ('mine', '1')"))
    const read = store.change(() => {
      throw error
    })
    const results = await Promise.allSettled([read, write()])
    expect(results.map((result) => (result as PromiseRejectedResult).reason)).toEqual([error, error])
    expect([store.storageError, store.refusals]).toEqual([error, 1])
    await write()
    expect([store.storageError, store.refusals]).toEqual([undefined, 1])
  })
  test('answers all changes even if nothing can be rolled back, and the next ones work', async () => {
    const { store } = await startPanel()
    const { exec } = store.sqlite
    store.sqlite.exec = (text) => {
      if (/^(COMMIT|ROLLBACK)/.test(text)) throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' })
      return exec.call(store.sqlite, text)
    }
    const write = () => store.change(() => void store.sqlite.exec("INSERT INTO settings VALUES ('mine', '1')"))
    await expect(write()).rejects.toThrow('disk I/O error')
    store.sqlite.exec = exec
    await expect(write()).resolves.toBeUndefined()
  })
})

test('a transaction that SQLite rolled back fails all who shared it, even if one did not notice', async () => {
  const panel = await startPanel()
  const { store } = panel
  const write = (name: string) =>
    store.change(() => void store.sqlite.prepare("INSERT INTO settings VALUES (?, '1')").run(name))
  const results = await Promise.allSettled([
    write('before'),
    store.change(() => void store.sqlite.exec('ROLLBACK')),
    write('after'),
  ])
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  expect(store.sqlite.prepare("SELECT count(*) FROM settings WHERE name IN ('before', 'after')").pluck().get()).toBe(0)
  await expect(write('later')).resolves.toBeUndefined()
})

test('a log that cannot be written costs no response and no memory', async () => {
  const full = openSync('/dev/full', 'w')
  onTestFinished(() => closeSync(full))
  const server = await start(newDirectory(), { stderr: full })
  for (let requests = 0; requests < 300; requests++) expect((await server.ask('GET', '/packages'))?.status).toBe(200)
  expect((await server.ask('POST', '/packages', { name: 'small' }))?.status).toBe(201)
  expect(server.child.exitCode).toBeNull()
})
