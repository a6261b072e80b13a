import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newDirectory, type Served, start } from './process.ts'

const account = (name: string) => ({ username: name, domain: `${name}.example` })

function has(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const prlimit = has('prlimit')

/** The largest file the process may write. */
const fileSize = (server: Served, bytes: number | 'unlimited'): void =>
  void execFileSync('prlimit', [`--pid=${server.child.pid}`, `--fsize=${bytes}:`])

test.skipIf(!prlimit)(
  `an I/O error fails only the change, and is over when it is over${prlimit ? '' : ' (skipped: no prlimit)'}`,
  async () => {
    const dir = newDirectory()
    const server = await start(dir)
    await server.ask('POST', '/packages', { name: 'first' })
    fileSize(server, statSync(join(dir, 'panel.db-wal')).size)
    const refused = await server.ask('POST', '/packages', { name: 'second' })
    expect([refused?.status, refused?.code]).toEqual([500, 'internal'])
    expect((await server.ask('GET', '/packages'))?.body.total).toBe(2)
    expect((await server.ask('GET', '/healthz'))?.status).toBe(503)
    fileSize(server, 'unlimited')
    expect((await server.ask('POST', '/packages', { name: 'second' }))?.status).toBe(201)
    expect((await server.ask('POST', '/accounts', account('alice')))?.status).toBe(202)
    await server.until('/jobs?status=succeeded', ({ body }) => body.total === 1)
    expect(server.stderr).toContain('SQLITE_IOERR')
  },
)

/** Connects, and sends nothing. */
function idle(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket))
    socket.once('close', () => resolve(socket))
  })
}

describe('few file descriptors', () => {
  test('refuses a flood of connections before it refuses jobs and root', { timeout: 30_000 }, async () => {
    // 128 of the descriptors are for connections, and one address gets no more than three quarters of these.
    const server = await start(newDirectory(), { first: 'ulimit -n 256' })
    await Promise.all(Array.from({ length: 400 }, () => idle(server.port)))
    for (const name of ['alice', 'bob', 'carol'])
      expect((await server.ask('POST', '/accounts', account(name)))?.status).toBe(202)
    await server.until('/jobs?status=succeeded', ({ body }) => body.total === 3)
    const metrics = (await server.ask('GET', '/metrics'))!.body
    expect(metrics).toContain('\npanel_connections{listener="tcp"} 96\n')
    expect(metrics).toContain('\npanel_connections_dropped_total{listener="tcp"} 304\n')
    const jobs = (await server.ask('GET', '/jobs'))!.body.items
    expect(jobs.map((job: { error?: string }) => job.error)).toEqual([undefined, undefined, undefined])
  })
})

describe('data directory', () => {
  test('serves a data directory with one process; the second says so and leaves it alone', async () => {
    const dir = newDirectory()
    const server = await start(dir)
    const second = await start(dir)
    expect(await second.ended).toBe(1)
    expect(second.stderr).toBe('error: Another panel server is running on this data directory.\n')
    expect((await server.ask('GET', '/token'))?.status).toBe(404)
    expect((await server.ask('POST', '/packages', { name: 'small' }))?.status).toBe(201)
    server.child.kill('SIGKILL')
    await server.ended
    expect((await (await start(dir)).ask('GET', '/packages'))?.body.total).toBe(2)
  })
  const root = process.getuid?.() === 0
  test.skipIf(root)(`reports a directory that cannot be written to${root ? ' (skipped: root can)' : ''}`, async () => {
    const dir = join(newDirectory(), 'data')
    mkdirSync(dir, { mode: 0o500 })
    const server = await start(dir)
    expect(await server.ended).toBe(1)
    expect(server.stderr).toMatch(/cannot be written to/)
    chmodSync(dir, 0o700)
  })
  test('refuses a directory with a damaged store, and overwrites nothing in it', async () => {
    const dir = newDirectory()
    const server = await start(dir)
    for (let place = 0; place < 50; place++) await server.ask('POST', '/packages', { name: `package ${place}` })
    await server.stop()
    const file = join(dir, 'panel.db')
    const damaged = readFileSync(file)
    damaged.fill(0x5a, 4096 * 4, 4096 * 40)
    writeFileSync(file, damaged)
    const next = await start(dir)
    expect(await next.ended).toBe(1)
    expect(next.stderr).toMatch(/^error: The store \S+ is damaged: .*Nothing was changed\. Restore a backup with/)
    expect(readFileSync(file).equals(damaged)).toBe(true)
  })
})
