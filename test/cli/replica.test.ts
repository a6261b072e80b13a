import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { keyFor, madeFor, ownerOf } from '../../src/cli/commands/replica/owner.ts'
import { replicatorUnit } from '../../src/cli/commands/replica/unit.ts'
import { takeOver } from '../../src/server/upkeep.ts'
import { replicaFile } from '../../src/shared/replica.ts'
import { litestream } from '../litestream.ts'
import { type ServerProcess, startServer } from '../serve/server.ts'
import { ended, ensureServerBuilt, inProcess, type Result, start } from './run.ts'
import { scratchFolder } from './server.ts'

/** Units are installed in the test's own home, like those of a non-root user. */
async function replica(dataDir: string, home: string, ...words: string[]): Promise<Result> {
  const getuid = process.getuid as () => number
  process.getuid = () => 1000
  try {
    return await inProcess(['replica', ...words, '--data-dir', dataDir], { XDG_CONFIG_HOME: home })
  } finally {
    process.getuid = getuid
  }
}

const unitIn = (home: string): string => readFileSync(join(home, 'systemd/user/panel-replica.service'), 'utf8')
const program = ['--program', litestream ?? process.execPath]

describe('replica init', () => {
  const secret = 'canary+of/$HOME'

  test("stores a bucket's secret in a file that only its owner can read", async () => {
    const [dir, home] = [scratchFolder(), scratchFolder()]
    const file = join(home, 'secret')
    writeFileSync(file, `${secret}\n`)
    const to = ['--to', 's3://bucket/panel', '--access-key-id', 'AKIA1', '--secret-access-key-file', file]
    const { code, stdout, stderr } = await replica(dir, home, 'init', ...to, '--region', 'eu-central-1', ...program)
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${replicaFile(dir)}\n` })
    expect(readFileSync(replicaFile(dir), 'utf8')).toBe(`# Written by \`panel replica init\` for s3://bucket/panel.
# It may hold secrets: only its owner can read it. Run the command again to change it.
addr: 127.0.0.1:7713
dbs:
  - path: "${dir}/panel.db"
    monitor-interval: 250ms
    replicas:
      - type: "s3"
        bucket: "bucket"
        path: "panel"
        access-key-id: "AKIA1"
        region: "eu-central-1"
        secret-access-key: "${secret}"
        sync-interval: "1s"
        retention: 24h
        snapshot-interval: 6h
`)
    expect(statSync(replicaFile(dir)).mode & 0o777).toBe(0o600)
    const unit = unitIn(home)
    expect(unit).toContain(`ExecStart=${program[1]} replicate -config ${replicaFile(dir)} -no-expand-env\n`)
    expect(unit + stdout + stderr).not.toContain(secret)
    expect(stderr).toContain(`not in the copy: ${dir}/secret.key and ${dir}/tls`)
    expect(stderr).toContain(
      'next: systemctl --user daemon-reload && systemctl --user enable panel-replica && systemctl --user restart panel-replica',
    )
  })

  test('signs in to a host with a key, and says what Litestream does not check', async () => {
    const [dir, home] = [scratchFolder(), scratchFolder()]
    const key = join(home, 'key')
    writeFileSync(key, '')
    const to = ['--to', 'sftp://panel@backup.example:2222/srv/panel', '--key-file', key]
    const { code, stderr } = await replica(dir, home, 'init', ...to, ...program)
    expect(code).toBe(0)
    expect(readFileSync(replicaFile(dir), 'utf8')).toContain(`type: "sftp"
        host: "backup.example:2222"
        user: "panel"
        path: "/srv/panel"
        key-path: "${key}"
`)
    expect(stderr).toContain('does not check the host key')
  })

  test('creates the directory of the copy, outside the data directory', async () => {
    const [dir, home] = [scratchFolder(), scratchFolder()]
    const init = (to: string) => replica(dir, home, 'init', '--to', to, ...program)
    for (const to of [dir, join(dir, 'copy'), dirname(dir), '/'])
      expect(await init(to)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(`--to ${to} must be apart from the data directory, ${dir}`),
      })
    expect(existsSync(replicaFile(dir))).toBe(false)
    const to = join(home, 'second/copy')
    expect((await init(to)).code).toBe(0)
    expect(statSync(to).mode & 0o777).toBe(0o700)
  })

  test.runIf(process.getuid?.() === 0)('runs as the user that owns the data directory', () => {
    const [dir, home] = [scratchFolder(), scratchFolder()]
    const key = join(home, 'key')
    writeFileSync(key, 'secret', { mode: 0o600 })
    expect(ownerOf(dir)).toBeUndefined()
    expect(keyFor(undefined, key, dir)).toBe(key)
    chownSync(dir, 12_345, 12_346)
    const owner = ownerOf(dir)!
    expect(owner).toEqual({ uid: 12_345, gid: 12_346 })
    const made = [keyFor(owner, key, dir), madeFor(owner, join(home, 'a/b')), join(home, 'a')]
    expect(made[0]).toBe(join(dir, 'replica.key'))
    for (const path of made) expect(statSync(path)).toMatchObject(owner)
    expect(statSync(made[0]!).mode & 0o777).toBe(0o600)
    const unit = { command: ['/usr/bin/litestream'], folders: [dir], system: true }
    expect(replicatorUnit({ ...unit, owner })).toContain('\nUser=12345\nGroup=12346\n')
    expect(replicatorUnit(unit)).not.toContain('User=')
  })

  test.each([
    [[], 2, '--to is needed'],
    [['--to', 'sftp://panel:pw@backup.example/srv'], 2, 'must not contain a password'],
    [['--to', 'sftp://panel@backup.example/srv'], 2, '--key-file is needed'],
    [['--to', 'ftp://backup.example/srv'], 2, 'is not a place that can be copied to'],
    [['--to', 's3://bucket', '--access-key-id', 'AKIA1'], 2, '--access-key-id needs its secret'],
    [['--to', '/srv/copy', '--program', '/nonexistent/litestream'], 1, 'is not a program'],
    [['--to', '/srv/copy', '--monitor-port', '0'], 2, '--monitor-port must be a number'],
  ])('refuses %j, and writes nothing', async (words, code, message) => {
    const [dir, home] = [scratchFolder(), scratchFolder()]
    const named = words.includes('--program') ? words : [...words, ...program]
    const result = await replica(dir, home, 'init', ...named)
    expect(result).toMatchObject({ code, stderr: expect.stringContaining(message) })
    expect([existsSync(replicaFile(dir)), existsSync(join(home, 'systemd'))]).toEqual([false, false])
  })

  test('keeps files that panel did not write, unless told otherwise', async () => {
    const [dir, home] = [scratchFolder(), scratchFolder()]
    writeFileSync(replicaFile(dir), 'dbs: []\n')
    const init = (...more: string[]) => replica(dir, home, 'init', '--to', join(home, 'copy'), ...program, ...more)
    expect(await init()).toMatchObject({ code: 5, stderr: expect.stringContaining('was not written by panel') })
    expect(readFileSync(replicaFile(dir), 'utf8')).toBe('dbs: []\n')
    expect((await init('--yes')).code).toBe(0)
    expect((await init()).code).toBe(0)
  })

  test('copies to a directory with spaces, and refuses a path with line breaks', async () => {
    const [dir, home] = [scratchFolder(), scratchFolder()]
    const to = join(home, 'second copy')
    expect((await replica(dir, home, 'init', '--to', to, ...program, '--monitor-port', await freePort())).code).toBe(0)
    const status = await replica(dir, home, 'status', '--output', 'json')
    expect(JSON.parse(status.stdout)).toMatchObject([{ to, state: 'stopped' }])
    expect(await replica(dir, home, 'init', '--to', `${to}\naddr: 0.0.0.0:1`, ...program)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--to must not contain control characters'),
    })
  })

  test('can be run again after init was interrupted', async () => {
    const [dir, home] = [scratchFolder(), scratchFolder()]
    const init = () => replica(dir, home, 'init', '--to', join(home, 'copy'), ...program)
    // A directory in place of the unit simulates a machine that crashed before it was written.
    const unit = join(home, 'systemd/user/panel-replica.service')
    mkdirSync(unit, { recursive: true })
    expect((await init()).code).not.toBe(0)
    rmSync(unit, { recursive: true })
    expect((await init()).code).toBe(0)
    expect(unitIn(home)).toContain('replicate -config')
  })

  test("does not mistake another store's replicator on the same port for its own", async () => {
    const [dir, home] = [scratchFolder(), scratchFolder()]
    let [looks, store] = [0, '/elsewhere/panel.db']
    const metrics = () =>
      `litestream_sync_count{db="${store}"} ${++looks}
litestream_shadow_wal_size{db="${store}"} 7
litestream_replica_wal_offset{db="${store}"} 7
`
    const other = createHttpServer((_, answer) => answer.end(metrics())).listen(0, '127.0.0.1')
    onTestFinished(() => void other.close())
    await once(other, 'listening')
    const { port } = other.address() as { port: number }
    await replica(dir, home, 'init', '--to', join(home, 'copy'), ...program, '--monitor-port', String(port))
    const status = async () => JSON.parse((await replica(dir, home, 'status', '--output', 'json')).stdout)[0]
    const state = async () => (await status()).state
    expect(await state()).toBe('stopped')
    store = join(dir, 'panel.db')
    expect(await state()).toBe('running')
    writeFileSync(`${store}-wal`, '')
    truncateSync(`${store}-wal`, 256_000_001)
    expect(await status()).toMatchObject({
      state: 'stuck',
      message: expect.stringMatching(/^The write-ahead log of the store takes .*: the replicator does not empty it\.$/),
      log_bytes: 256_000_001,
    })
    expect((await replica(dir, home, 'status')).code).toBe(1)
    const index = Buffer.alloc(20)
    const isEmptied = 'it is emptied, and becomes small when panel is restarted while the replicator is stopped'
    for (const [frames, why] of [
      [62_136, 'the replicator does not empty it'],
      [62_135, isEmptied],
    ] as const) {
      index.writeUInt16LE(4096, 14)
      index.writeUInt32LE(frames, 16)
      writeFileSync(`${store}-shm`, index)
      expect((await status()).message).toBe(`The write-ahead log of the store takes 256 MB: ${why}.`)
    }
  })

  test('leaves nothing behind of a drill that is stopped, even next to another one', { timeout: 60_000 }, async () => {
    ensureServerBuilt()
    const [dir, home, room] = [scratchFolder(), scratchFolder(), scratchFolder()]
    const slow = join(home, 'litestream')
    writeFileSync(slow, '#!/bin/sh\necho part > "$5"\nexec sleep 60\n', { mode: 0o755 })
    await replica(dir, home, 'init', '--to', join(home, 'copy'), '--program', slow)
    const words = ['replica', 'drill', '--data-dir', dir, '--program', slow]
    const drills = [1, 2].map(() => start(words, { env: { TMPDIR: room } }))
    const results = drills.map(ended)
    const copies = () => readdirSync(room).filter((name) => existsSync(join(room, name, 'panel.db')))
    await expect.poll(() => copies().length).toBe(2)
    drills[0]!.kill('SIGTERM')
    expect(await results[0]).toMatchObject({ code: 130, stderr: expect.stringContaining('Interrupted') })
    expect(copies()).toHaveLength(1)
    drills[1]!.kill('SIGINT')
    expect((await results[1]!).code).toBe(130)
    expect(readdirSync(room)).toEqual([])
  })

  test('a drill without space for the store says where to find some', async () => {
    const [dir, home] = [scratchFolder(), scratchFolder()]
    const full = join(home, 'litestream')
    writeFileSync(full, '#!/bin/sh\necho "write $5: no space left on device" >&2\nexit 1\n', { mode: 0o755 })
    await replica(dir, home, 'init', '--to', join(home, 'copy'), '--program', full)
    expect(await replica(dir, home, 'drill', '--program', full)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('set TMPDIR to a folder with room for the store'),
    })
  })

  test('status and drill of a server without a second copy say how to set one up', async () => {
    const [dir, home] = [scratchFolder(), scratchFolder()]
    for (const word of ['status', 'drill'])
      expect(await replica(dir, home, word)).toMatchObject({
        code: 3,
        stderr: expect.stringContaining('panel replica init --to'),
      })
  })
})

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return String(port)
}

/** A server with a second copy in a sibling directory. */
async function replicated() {
  const [dir, home, place] = [scratchFolder(), scratchFolder(), join(scratchFolder(), 'copy$HOME')]
  const server = await startServer(dir, { noTls: true, hostname: 'localhost' })
  const port = await freePort()
  const made = await replica(dir, home, 'init', '--to', place, '--monitor-port', port, ...program)
  expect(made.code, made.stderr).toBe(0)
  const [, words] = /^ExecStart=(.*)$/m.exec(unitIn(home))!
  const run = () => {
    const child = spawn(words!.split(' ')[0]!, words!.split(' ').slice(1), { stdio: 'ignore' })
    onTestFinished(() => void child.kill('SIGKILL'))
    return child
  }
  const status = async () => {
    const { code, stdout } = await replica(dir, home, 'status', '--output', 'json')
    return { code, ...JSON.parse(stdout)[0] }
  }
  const doctor = async () => {
    const { stdout } = await inProcess(['doctor', '--output', 'json', '--data-dir', dir])
    return JSON.parse(stdout).find(({ check }: { check: string }) => check === 'replica')
  }
  return { dir, home, place, server, run, status, doctor }
}

/** Creates packages as fast as they are acknowledged; returns the times. */
function load(server: ServerProcess) {
  const answered = new Map<string, number>()
  let over = false
  let made = 0
  const one = async (): Promise<void> => {
    while (!over) {
      const name = `package-${made++}`
      const reply = await server.send('POST', '/packages', { name }).catch(() => undefined)
      if (reply?.status === 201) answered.set(name, Date.now())
      if (!reply) over = true
    }
  }
  const all = Promise.all([one(), one(), one()])
  const end = async () => {
    over = true
    await all
  }
  return { answered, end, all }
}

const max = 1_500

describe.skipIf(litestream === undefined)('second copy by Litestream', () => {
  test('loses at most the last moments when server, replicator and disk are gone, and can be taken over', {
    timeout: 60_000,
  }, async () => {
    const { dir, home, place, server, run, status, doctor } = await replicated()
    const replicator = run()
    await expect.poll(async () => (await status()).state).toBe('running')
    const { answered, all, end } = load(server)
    onTestFinished(end)
    await expect.poll(() => answered.size).toBeGreaterThan(200)
    expect(await status()).toMatchObject({ code: 0, state: 'running', to: place, age_seconds: expect.any(Number) })
    expect(await doctor()).toEqual({ check: 'replica', status: 'ok', message: `The store is copied to ${place}.` })
    const drill = await replica(dir, home, 'drill', '--output', 'json', ...program)
    expect(drill.code, drill.stderr).toBe(0)
    const { age_seconds, ...drilled } = JSON.parse(drill.stdout)
    expect(drilled).toMatchObject({ integrity: 'ok', counts: { accounts: 0 }, key: 'fits', to: place })
    expect(age_seconds).toBeLessThan(5)

    const key = readFileSync(join(dir, 'secret.key'))
    const killed = Date.now()
    replicator.kill('SIGKILL')
    await server.kill('SIGKILL')
    await all
    rmSync(dir, { recursive: true, maxRetries: 10 })

    const other = scratchFolder()
    writeFileSync(join(other, 'secret.key'), key, { mode: 0o600 })
    const copy = join(scratchFolder(), 'panel.db')
    execFileSync(litestream!, ['restore', '-o', copy, `file://${place}`], { stdio: 'ignore' })
    const sqlite = new Database(copy, { readonly: true })
    expect(sqlite.pragma('integrity_check', { simple: true })).toBe('ok')
    const there = new Set(sqlite.prepare('SELECT name FROM packages').pluck().all())
    sqlite.close()
    const due = [...answered].filter(([, at]) => at < killed - max).map(([name]) => name)
    expect(due.length).toBeGreaterThan(0)
    expect(due.filter((name) => !there.has(name))).toEqual([])

    await takeOver({ file: copy, dataDir: other, host: 'host.example', version: '0.1.0' }, async () => {})
    const next = await startServer(other, { noTls: true, hostname: 'localhost' })
    expect((await next.send('POST', '/packages', { name: 'after' })).status).toBe(201)
  })

  test('reports in status and doctor when the replicator hangs, is killed, or cannot copy', {
    timeout: 60_000,
  }, async () => {
    const { dir, home, place, server, run, status, doctor } = await replicated()
    const silent = {
      code: 1,
      state: 'stopped',
      message: expect.stringContaining('says nothing of this store on 127.0.0.1:'),
    }
    expect(await status()).toMatchObject(silent)
    const replicator = run()
    await expect.poll(async () => (await status()).state).toBe('running')
    replicator.kill('SIGSTOP')
    expect(await status()).toMatchObject(silent)
    expect(await doctor()).toMatchObject({ status: 'bad', next: expect.stringContaining('panel-replica') })
    replicator.kill('SIGCONT')
    await expect.poll(async () => (await status()).state).toBe('running')

    renameSync(place, `${place}.away`)
    writeFileSync(place, '')
    expect((await server.send('POST', '/packages', { name: 'uncopied' })).status).toBe(201)
    const stuck = { code: 1, state: 'stuck', message: expect.stringContaining(`${place} may not be reachable`) }
    await expect.poll(status).toMatchObject(stuck)
    expect(await replica(dir, home, 'drill', ...program)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The second copy cannot be brought back'),
    })
    replicator.kill('SIGKILL')
    await once(replicator, 'close')
    expect(await status()).toMatchObject(silent)
    expect(await doctor()).toMatchObject({ status: 'bad' })
    rmSync(place)
    renameSync(`${place}.away`, place)
    run()
    await expect.poll(async () => (await status()).state).toBe('running')
  })
})
