import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { make } from '../../src/host/backup/make.ts'
import { restorePart } from '../../src/host/backup/restore.ts'
import { WorkerHomes } from '../../src/host/debian/worker/homes.ts'
import { Workers } from '../../src/host/debian/worker/pool.ts'
import { builtAgent } from '../built.ts'
import { account, nameOf, tempDir } from '../host/helpers.ts'

/** As root, another user owns the home: root's permissions are not used there. */
const isRoot = process.getuid!() === 0
const uid = isRoot ? 20_000 : process.getuid!()
const bob = { ...nameOf(account()), uid }
const at = (path: string) => Buffer.from(path).toString('base64')

beforeAll(async () => void (await builtAgent()))

interface WorkerLocation {
  readonly root: string
  readonly home: string
  readonly homes: WorkerHomes
  readonly workers: Workers
}

async function place(): Promise<WorkerLocation> {
  const root = tempDir()
  const home = join(root, 'home/bob')
  mkdirSync(join(home, 'sites'), { recursive: true })
  mkdirSync(join(root, 'var/log/panel/bob'), { recursive: true })
  for (const dir of [root, join(root, 'home')]) chmodSync(dir, 0o711)
  for (const dir of [home, join(home, 'sites')]) chownSync(dir, uid, uid)
  const workers = new Workers([...(await builtAgent()), 'host', 'agent', '--root', root, '--home'])
  onTestFinished(() => workers.close())
  return { root, home, workers, homes: new WorkerHomes(workers, () => 'bob') }
}

const put = async ({ homes }: WorkerLocation, path: string, content: Readable | string): Promise<void> => {
  const sink = await homes.files(bob).write({ path: at(path), maxBytes: 64 * 1024 * 1024 })
  await sink.receive(typeof content === 'string' ? Readable.from([Buffer.from(content)]) : content)
  await sink.commit()
}

test('files are read and written by a process of their owner', async () => {
  const there = await place()
  await put(there, 'sites/one', 'hello')
  expect(lstatSync(join(there.home, 'sites/one')).uid).toBe(uid)
  expect(readFileSync(join(there.home, 'sites/one'), 'utf8')).toBe('hello')
  const files = there.homes.files(bob)
  expect((await files.act('list', { path: at('sites'), limit: 10 })).total).toBe(1)
  expect(await text((await files.read({ path: at('sites/one') })).stream())).toBe('hello')
  await expect(files.act('stat', { path: at('sites/two') })).rejects.toMatchObject({ reason: 'not-found' })
})

test.runIf(isRoot)('gives a worker prestarted for nobody to a tenant for good, and starts another', async () => {
  const there = await place()
  there.workers.ready()
  await expect.poll(() => there.workers.pids.size).toBe(1)
  const [pid] = there.workers.pids
  await put(there, 'sites/one', 'hello')
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const field = (name: string) => new RegExp(`^${name}:(.*)$`, 'm').exec(status)?.[1]?.trim().split(/\s+/)
  const its = [uid, uid, uid, uid].map(String)
  expect([field('Uid'), field('Gid'), field('Groups'), field('CapPrm')]).toEqual([its, its, [''], ['0'.repeat(16)]])
  expect(lstatSync(join(there.home, 'sites/one')).uid).toBe(uid)
  await expect.poll(() => there.workers.pids.size).toBe(2)
  expect(there.workers.pids.has(pid!)).toBe(true)
})

test.runIf(isRoot)('no program of the tenant can take over the channels of its worker', async () => {
  const there = await place()
  await Promise.all(['one', 'two', 'three'].map((name) => put(there, `sites/${name}`, 'hello')))
  const owners = [...there.workers.pids].map((pid) => [
    readFileSync(`/proc/${pid}/status`, 'utf8').includes(`\nUid:\t${uid}\t`),
    lstatSync(`/proc/${pid}/fd`).uid,
  ])
  expect(owners.filter(([isTenants]) => isTenants)).toEqual([
    [true, 0],
    [true, 0],
    [true, 0],
  ])
})

test.runIf(isRoot)('kills a worker that its tenant stops, and gives the next request another', async () => {
  const there = await place()
  await put(there, 'sites/one', 'hello')
  const files = there.homes.files(bob)
  await files.act('stat', { path: at('sites/one') })
  const own = [...there.workers.pids].filter((pid) =>
    readFileSync(`/proc/${pid}/status`, 'utf8').includes(`\nUid:\t${uid}\t`),
  )
  const stop = `import os, signal; [os.kill(pid, signal.SIGSTOP) for pid in ${JSON.stringify(own)}]`
  execFileSync('/usr/bin/setpriv', [
    ...['--reuid', String(uid), '--regid', String(uid), '--clear-groups', '/usr/bin/python3', '-c', stop],
  ])
  await expect(files.act('stat', { path: at('sites/one') })).rejects.toMatchObject({
    reason: 'overloaded',
    message: 'A program of the account stopped the process that works in its home.',
  })
  await expect.poll(() => own.some((pid) => there.workers.pids.has(pid))).toBe(false)
  expect(await files.act('stat', { path: at('sites/one') })).toMatchObject({ size: 5 })
})

test.runIf(isRoot)('never makes a worker the tenant if it cannot be placed in its slice', async () => {
  const there = await place()
  const words = [...(await builtAgent()), 'host', 'agent', '--root', there.root, '--home']
  const refusing = new Workers(words, () => Promise.reject(new Error('There is no slice.')))
  const files = new WorkerHomes(refusing, () => 'bob').files(bob)
  await expect(files.act('list', { path: at('sites'), limit: 10 })).rejects.toThrow('There is no slice.')
})

test('passes large files completely, even when one is not read to its end', async () => {
  const there = await place()
  const bytes = Buffer.alloc(5_000_000, 'abcdefgh')
  await put(there, 'sites/large', Readable.from([bytes.subarray(0, 3_000_000), bytes.subarray(3_000_000)]))
  const files = there.homes.files(bob)
  const broken = (await files.read({ path: at('sites/large') })).stream()
  await new Promise((resolve) => broken.once('data', resolve))
  broken.destroy()
  const source = await files.read({ path: at('sites/large') })
  expect(source.answer.length).toBe(bytes.length)
  expect((await buffer(source.stream())).equals(bytes)).toBe(true)
})

test('refuses what is too large, and leaves nothing', async () => {
  const there = await place()
  const files = there.homes.files(bob)
  const sink = await files.write({ path: at('sites/one'), maxBytes: 10 })
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.alloc(100_000)
    })(),
  )
  await expect(sink.receive(endless)).rejects.toMatchObject({ reason: 'too-large' })
  await sink.discard()
  expect(existsSync(join(there.home, 'sites/one'))).toBe(false)
  await put(there, 'sites/one', 'small')
})

test.runIf(isRoot)("files readable only by root are not read for the home's owner", async () => {
  const there = await place()
  writeFileSync(join(there.home, 'sites/secret'), 'of root', { mode: 0o600 })
  const files = there.homes.files(bob)
  await expect(files.read({ path: at('sites/secret') })).rejects.toMatchObject({ reason: 'forbidden' })
  await expect(files.act('chmod', { path: at('sites/secret'), mode: '0644' })).rejects.toMatchObject({
    reason: 'forbidden',
  })
})

test('a home is measured, and what its owner made unreadable is reported', async () => {
  const there = await place()
  await put(there, 'sites/one', Readable.from([Buffer.alloc(100_000, 'x')]))
  const open = await there.homes.measure(bob)
  expect(open).toMatchObject({ atLeast: false, mailboxes: [] })
  expect(open.bytes).toBeGreaterThanOrEqual(100_000)
  if (!isRoot) return
  chmodSync(join(there.home, 'sites'), 0)
  expect(await there.homes.measure(bob)).toMatchObject({ atLeast: true })
})

const id = (n: number) => `01J${String(n).padStart(23, '0')}`

test('a backup is read and restored as the owner, and stored where only root can write', async () => {
  const there = await place()
  await put(there, 'sites/one', 'before')
  const backups = join(there.root, 'backups')
  const saved = there.homes.saved(bob)
  const order = { place: { account: bob.id, backup: id(1) }, account: bob, createdAt: 0, texts: [] }
  const made = await make(backups, { home: saved }, { ...order, parts: ['files', 'mail'] }, {})
  expect(made.parts).toMatchObject([
    { part: 'files', status: 'ok', files: 1 },
    { part: 'mail', status: 'absent' },
  ])
  await put(there, 'sites/one', 'after')
  await put(there, 'sites/two', 'new')
  const expected = { place: order.place, manifestSha256: made.manifestSha256, account: bob, restore: id(2) }
  await restorePart({ backups, host: there.root }, saved, { ...expected, part: 'files' }, {})
  expect(readdirSync(join(there.home, 'sites'))).toEqual(['one'])
  expect(readFileSync(join(there.home, 'sites/one'), 'utf8')).toBe('before')
  expect(lstatSync(join(there.home, 'sites/one')).uid).toBe(uid)
  expect(readdirSync(there.home).sort()).toEqual(['.panel', 'sites'])
})

test.runIf(isRoot)('a file that its owner cannot read fails the part, and nothing else', async () => {
  const there = await place()
  writeFileSync(join(there.home, 'sites/closed'), 'of root', { mode: 0o600 })
  const order = { place: { account: bob.id, backup: id(1) }, account: bob, createdAt: 0, texts: [] }
  const made = await make(
    join(there.root, 'backups'),
    { home: there.homes.saved(bob) },
    { ...order, parts: ['files'] },
    {},
  )
  expect(made.parts).toMatchObject([
    { part: 'files', status: 'failed', error: 'sites/closed could not be read (EACCES).' },
  ])
})
