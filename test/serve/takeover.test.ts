import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { networkInterfaces } from 'node:os'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { backUp, restore, takeOver } from '../../src/server/upkeep.ts'
import { keyId } from '../../src/shared/keys.ts'
import { Disk, noDisk } from '../faults/disk.ts'
import { startAgent } from '../host/agent/service-process.ts'
import { begin, place, type ServerProcess, startServer } from './server.ts'

const current = { host: 'host.example', version: '0.1.0' }
const yes = async (): Promise<void> => {}
/** This machine's address, which the panel uses as its main one. */
const address = Object.values(networkInterfaces())
  .flatMap((all) => all ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address
const plain = { noTls: true, hostname: 'localhost' }

/** A directory whose server created packages, and was killed. */
async function served(...names: string[]): Promise<string> {
  const dir = place()
  const server = await startServer(dir, plain)
  for (const name of names) expect((await server.send('POST', '/packages', { name })).status).toBe(201)
  await server.kill('SIGKILL')
  return dir
}

/** What a replicator killed with the server would restore, with the key stored separately. */
function replicaOf(dir: string, withKey = true): string {
  const folder = place()
  const file = join(folder, 'panel.db')
  const sqlite = new Database(join(dir, 'panel.db'))
  sqlite.pragma('wal_checkpoint(TRUNCATE)')
  sqlite.close()
  copyFileSync(join(dir, 'panel.db'), file)
  if (withKey) copyFileSync(join(dir, 'secret.key'), join(folder, 'secret.key'))
  return file
}

const one = (dir: string, query: string) => {
  const sqlite = new Database(join(dir, 'panel.db'), { readonly: true })
  try {
    return sqlite.prepare(query).pluck().get() as number
  } finally {
    sqlite.close()
  }
}

const stateOf = (dir: string) => ({
  epoch: Number(one(dir, "SELECT value FROM settings WHERE name = 'epoch'")),
  seq: one(dir, "SELECT seq FROM sqlite_sequence WHERE name = 'events'"),
  packages: one(dir, 'SELECT count(*) FROM packages'),
})

describe('takeover', () => {
  test('reports the takeover to the old server when it returns, which then changes nothing', {
    timeout: 60_000,
  }, async () => {
    const dir = place()
    const first = await startServer(dir, plain)
    const { port } = first
    await first.kill('SIGKILL')
    const dataDir = place()
    await takeOver({ file: replicaOf(dir), dataDir, ...current }, yes)
    const old = await startServer(dir, { ...plain, port })
    const forged = `/superseded?server=x&epoch=${Date.now()}&proof=x`
    const requests = await fetch(`http://127.0.0.1:${port}${forged}`, { method: 'POST' })
    expect(requests.status).toBe(403)
    expect((await old.send('POST', '/packages', { name: 'early' })).status).toBe(201)
    const next = await startServer(dataDir, plain)
    await expect
      .poll(async () => (await old.send('POST', '/packages', { name: `late${Date.now()}` })).status, {
        timeout: 30_000,
      })
      .toBe(503)
    expect(next.err).not.toContain('could not be told')
    expect((await next.send('POST', '/packages', { name: 'kept' })).status).toBe(201)
  })

  test('makes the store of a replica authoritative, on another machine', async () => {
    const dir = await served('one')
    const before = stateOf(dir)
    const dataDir = place()
    const began = Date.now()
    const { key } = await takeOver({ file: replicaOf(dir), dataDir, ...current }, yes)
    expect(key).toBe('restored')
    const after = stateOf(dataDir)
    expect(after).toEqual({ epoch: expect.any(Number), seq: before.seq + 1_000_000, packages: before.packages })
    expect(after.epoch).toBeGreaterThanOrEqual(began)
    expect(readdirSync(dataDir).sort()).toEqual(['incarnation', 'panel.db', 'panel.lock', 'secret.key'])
    const server = await startServer(dataDir, plain)
    expect((await server.send('POST', '/packages', { name: 'two' })).status).toBe(201)
  })

  test('includes what is still in the log of a copied store', async () => {
    const dir = await served('one', 'two')
    expect(statSync(join(dir, 'panel.db-wal')).size).toBeGreaterThan(0)
    const before = stateOf(dir)
    const dataDir = place()
    await takeOver({ file: join(dir, 'panel.db'), dataDir, ...current }, yes)
    expect(stateOf(dataDir).packages).toBe(before.packages)
    expect(statSync(join(dir, 'panel.db-wal')).size).toBeGreaterThan(0)
  })

  test('uses the given file itself as the store if it may be moved', async () => {
    const dir = await served('one')
    const file = replicaOf(dir)
    const before = { ...stateOf(dir), inode: statSync(file).ino }
    const dataDir = place()
    const { key } = await takeOver({ file, dataDir, move: true, ...current }, yes)
    expect(key).toBe('restored')
    expect(readdirSync(dirname(file))).toEqual(['secret.key'])
    expect(readdirSync(dataDir).sort()).toEqual(['incarnation', 'panel.db', 'panel.lock', 'secret.key'])
    expect(statSync(join(dataDir, 'panel.db'))).toMatchObject({ ino: before.inode, nlink: 1 })
    expect(stateOf(dataDir)).toMatchObject({ seq: before.seq + 1_000_000, packages: before.packages })
    const server = await startServer(dataDir, plain)
    expect((await server.send('POST', '/packages', { name: 'two' })).status).toBe(201)
  })

  test('leaves a store that it may move unchanged when it is refused', async () => {
    const dir = await served('one')
    const file = replicaOf(dir)
    const before = stateOf(dir)
    const dataDir = place()
    const no = () => Promise.reject(new Error('no'))
    await expect(takeOver({ file, dataDir, move: true, ...current }, no)).rejects.toThrow('no')
    expect(readdirSync(dataDir)).toEqual(['panel.lock'])
    expect(stateOf(dirname(file))).toEqual(before)
    await takeOver({ file, dataDir, ...current }, yes)
    expect(stateOf(dataDir).packages).toBe(before.packages)
    expect(existsSync(file)).toBe(true)
  })

  test('leaves a store that it may move complete when it is killed at its question', async () => {
    const dir = await served('one')
    const file = replicaOf(dir)
    const left = join(place(), 'panel.db')
    const dataDir = place()
    await takeOver({ file, dataDir: place(), move: true, ...current }, async () => {
      expect(readdirSync(dirname(file)).sort()).toEqual(['panel.db', 'secret.key'])
      for (const name of ['panel.db', 'secret.key']) copyFileSync(join(dirname(file), name), join(dirname(left), name))
    })
    expect(stateOf(dirname(left))).toEqual(stateOf(dir))
    await takeOver({ file: left, dataDir, move: true, ...current }, yes)
    expect(stateOf(dataDir).packages).toBe(stateOf(dir).packages)
  })

  test('moves only a restored store from elsewhere', async () => {
    const dir = await served('one')
    const backup = join(place(), 'panel.backup')
    await backUp({ dataDir: dir, file: backup, withKeys: true, ...current })
    const own = { file: join(dir, 'panel.db'), dataDir: dir }
    const second = { file: join(place(), 'second.db'), dataDir: dir }
    linkSync(own.file, second.file)
    for (const input of [{ file: backup, dataDir: place() }, { file: dir, dataDir: place() }, own, second]) {
      const refused = takeOver({ ...input, move: true, ...current }, yes)
      await expect(refused).rejects.toThrow(`${input.file} cannot be moved: it is not a restored store`)
      expect(existsSync(input.file)).toBe(true)
    }
  })

  test('never moves a store that is in place, whatever name is given', async () => {
    const dir = await served('one')
    const before = stateOf(dir)
    const link = join(place(), 'link.db')
    symlinkSync(join(dir, 'panel.db'), link)
    const refused = takeOver({ file: link, dataDir: dir, move: true, ...current }, yes)
    await expect(refused).rejects.toThrow('cannot be moved: it is not a restored store')
    expect(stateOf(dir)).toEqual(before)
  })

  test.skipIf(noDisk() !== undefined)('can move a store to another disk', async () => {
    const dir = await served('one')
    const file = replicaOf(dir)
    const dataDir = join(new Disk('64m').path, 'data')
    await takeOver({ file, dataDir, move: true, ...current }, yes)
    expect(stateOf(dataDir).packages).toBe(stateOf(dir).packages)
    expect(existsSync(file)).toBe(false)
  })

  test('continues the numbering in restores after a takeover', async () => {
    const dir = await served('one')
    const file = join(dir, 'x.backup')
    await backUp({ dataDir: dir, file, withKeys: true, ...current })
    const before = stateOf(dir)
    const dataDir = place()
    await takeOver({ file, dataDir, ...current }, yes)
    const { epoch } = stateOf(dataDir)
    await restore({ file, dataDir, ...current }, yes)
    expect(stateOf(dataDir)).toEqual({ ...before, epoch: epoch + 1, seq: before.seq + 2_000_000 })
  })

  test.skipIf(address === undefined)(
    'refuses a takeover while the old server answers at its address, even if its name points elsewhere',
    async () => {
      const dir = place()
      const old = await startServer(dir, { hostname: 'gone.invalid', host: '0.0.0.0' })
      const refused = takeOver({ file: replicaOf(dir), dataDir: place(), ...current }, yes)
      await expect(refused).rejects.toThrow(`the old server still answers at https://${address}:${old.port}`)
      await old.kill('SIGKILL')
      await takeOver({ file: replicaOf(dir), dataDir: place(), ...current }, yes)
    },
  )

  test('refuses a takeover while the old server answers, and changes nothing', async () => {
    const dir = await served('one')
    const old = await startServer(dir, plain)
    const file = replicaOf(dir)
    const dataDir = place()
    const refused = takeOver({ file, dataDir, ...current }, yes)
    await expect(refused).rejects.toThrow(`the old server still answers at http://localhost:${old.port}`)
    expect(readdirSync(dataDir)).toEqual(['panel.lock'])
    await old.kill('SIGKILL')
    await takeOver({ file, dataDir, ...current }, yes)
    expect(existsSync(join(dataDir, 'panel.db'))).toBe(true)
  })

  test('refuses a takeover while the old server hangs, and does not copy its store meanwhile', async () => {
    const dir = await served('one')
    const old = await startServer(dir, plain)
    const file = replicaOf(dir)
    old.child.kill('SIGSTOP')
    const dataDir = place()
    const hangs = `the old server still takes connections, though it does not answer, at http://localhost:${old.port}`
    await expect(takeOver({ file, dataDir, ...current }, yes)).rejects.toThrow(hangs)
    for (const from of [dir, join(dir, 'panel.db')])
      await expect(takeOver({ file: from, dataDir, ...current }, yes)).rejects.toThrow(
        `a panel server is running on ${dir}`,
      )
    expect(readdirSync(dataDir)).toEqual(['panel.lock'])
  })

  test('refuses one of two takeovers at once on one directory, and completes the other', async () => {
    const dir = await served('one')
    const file = replicaOf(dir)
    const dataDir = place()
    const both = await Promise.allSettled([1, 2].map(() => takeOver({ file, dataDir, ...current }, yes)))
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { message: expect.stringContaining('Another panel server is running on this data directory') },
    })
    const server = await startServer(dataDir, plain)
    expect((await server.send('POST', '/packages', { name: 'two' })).status).toBe(201)
  })

  test.skipIf(noDisk() !== undefined)(
    'changes nothing in a takeover onto a full disk, and works once there is space',
    async () => {
      const dir = await served('one')
      const file = replicaOf(dir)
      const disk = new Disk(`${Math.ceil(statSync(file).size * 3.5)}`)
      const dataDir = join(disk.path, 'data')
      mkdirSync(dataDir, { mode: 0o700 })
      disk.fill()
      await expect(takeOver({ file, dataDir, ...current }, yes)).rejects.toThrow()
      expect(readdirSync(dataDir).filter((name) => name !== 'panel.lock')).toEqual([])
      disk.empty()
      await takeOver({ file, dataDir, ...current }, yes)
      expect(stateOf(dataDir).packages).toBe(stateOf(dir).packages)
    },
  )

  test('needs the key that the store was written with', async () => {
    const dir = place()
    const server = await startServer(dir, plain)
    const webhook = { url: 'https://hooks.example/in', events: ['account.created'] }
    expect((await server.send('POST', '/webhooks', webhook)).status).toBe(201)
    await server.kill('SIGKILL')
    const file = replicaOf(dir, false)
    const dataDir = place()
    const id = keyId(readFileSync(join(dir, 'secret.key')))
    const taking = () => takeOver({ file, dataDir, ...current }, yes)
    await expect(taking()).rejects.toThrow(
      `${file} was written with a secret.key (${id}) that is missing: there is none in ${dataDir}`,
    )
    writeFileSync(join(dataDir, 'secret.key'), Buffer.alloc(32, 1), { mode: 0o600 })
    await expect(taking()).rejects.toThrow(`the one in ${dataDir} is another`)
    copyFileSync(join(dir, 'secret.key'), join(dataDir, 'secret.key'))
    expect((await taking()).key).toBe('present')
  })

  test('refuses a store that was modified', async () => {
    const dir = await served('one')
    const file = replicaOf(dir)
    const sqlite = new Database(file)
    sqlite.exec('CREATE VIEW seen AS SELECT 1')
    sqlite.close()
    const taking = takeOver({ file, dataDir: place(), ...current }, yes)
    await expect(taking).rejects.toThrow(`${file} was modified: view seen does not belong to panel`)
  })

  test('suggests a takeover in serve if a store was copied manually', async () => {
    const dir = await served('one')
    const copy = join(place(), 'copy')
    cpSync(dir, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') })
    chmodSync(copy, 0o700)
    const refused = await begin(copy, plain)
    expect(await refused.exit).toBe(1)
    expect(refused.err).toContain(`panel takeover ${copy} --data-dir ${copy}`)
    await takeOver({ file: copy, dataDir: copy, ...current }, yes)
    await startServer(copy, plain)
  })
})

/** Every file below a directory, with its content. */
function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true }) as string[]
  const files = names.map((name) => join(folder, name)).filter((path) => statSync(path).isFile())
  return Object.fromEntries(files.map((path) => [path, `${statSync(path).mtimeMs} ${readFileSync(path, 'latin1')}`]))
}

/** The same, after the agent has cleaned up its last change. */
async function settled(folder: string): Promise<Record<string, string>> {
  let last = {}
  const isSame = (now: object): boolean => {
    const same = JSON.stringify(now) === JSON.stringify(last)
    last = now
    return same
  }
  await expect.poll(() => isSame(filesIn(folder)), { interval: 200 }).toBe(true)
  return last
}

const create = async (server: ServerProcess, username: string): Promise<string> => {
  const { status, body } = await server.send('POST', '/accounts', { username, domain: `${username}.example` })
  expect(status).toBe(202)
  return body.job_id
}

const ended = (server: ServerProcess, job: string) =>
  expect.poll(async () => (await server.send('GET', `/jobs/${job}`)).body.job?.status).toBe('succeeded')

const swept = (server: ServerProcess) =>
  expect
    .poll(async () => (await server.send('GET', '/jobs?kind=host.apply&status=succeeded')).body.total, {
      timeout: 30_000,
    })
    .toBe(1)

test('the old server changes nothing on the host when it returns, says why, and runs no jobs', {
  timeout: 60_000,
}, async () => {
  const [dir, dataDir] = [place(), place()]
  const [socket, root] = [join(dir, 'host.sock'), join(dir, 'machine')]
  for (const one of [dir, dataDir]) writeFileSync(join(one, 'driver'), 'debian\n')
  await startAgent(root, socket)
  const how = { ...plain, agentSocket: socket }
  const old = await startServer(dir, how)
  await ended(old, await create(old, 'alice'))
  const copy = replicaOf(dir)
  await ended(old, await create(old, 'lost'))
  await old.kill('SIGKILL')

  await takeOver({ file: copy, dataDir, ...current }, yes)
  const next = await startServer(dataDir, how)
  await swept(next)
  const { unknown_accounts } = (await next.send('GET', '/host?accounts=true')).body
  expect(unknown_accounts.map(({ username }: { username: string }) => username)).toContain('lost')
  expect(existsSync(join(root, 'home/lost'))).toBe(true)
  await ended(next, await create(next, 'bob'))
  expect((await next.send('GET', '/host/diff')).body.differences).toEqual([])

  expect(await next.kill('SIGTERM')).toBe(0)
  const files = await settled(root)
  const back = await startServer(dir, how)
  const sentence = /^Another server took over from this one \(20.*Z\): this one changes nothing and runs no jobs/
  await expect
    .poll(async () => (await back.send('POST', '/packages', { name: 'late' })).body)
    .toMatchObject({ status: 503, title: 'Another server has taken over', detail: expect.stringMatching(sentence) })
  expect(await back.send('GET', '/healthz')).toMatchObject({
    status: 503,
    body: { status: 'unhealthy', detail: expect.stringMatching(sentence) },
  })
  expect((await back.send('GET', '/accounts')).status).toBe(200)
  expect((await back.send('GET', '/jobs?status=running')).body.total).toBe(0)
  expect(back.err).toContain('Another server took over from this one')
  await back.kill('SIGTERM')
  const again = await startServer(dir, { ...how, agentSocket: join(dir, 'nowhere.sock') })
  expect((await again.send('POST', '/packages', { name: 'later' })).status).toBe(503)
  expect(filesIn(root)).toEqual(files)
})
