import {
  appendFileSync,
  closeSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { DirectoryLogs } from '../../src/host/traffic/index.ts'
import type { LogLimits } from '../../src/host/traffic/sweep.ts'
import { sweeper } from '../../src/host/traffic/watch.ts'

const mebibyte = 1024 * 1024
const limits: LogLimits = { log: mebibyte, account: 3 * mebibyte, traffic: mebibyte, allTraffic: 5 * mebibyte }

function hostLogs(services: readonly string[] = []) {
  const root = mkdtempSync(join(tmpdir(), 'sweep-'))
  mkdirSync(join(root, 'alice'))
  const reopen = vi.fn(() => Promise.resolve())
  let now = Date.UTC(2026, 0, 15, 12)
  const logs = new DirectoryLogs({
    ...{ logs: root, nameOf: () => 'alice', now: () => now, reopen, appsHoldLogs: true },
    services: services.map((name) => join(root, name)),
  })
  const at = (name: string) => join(root, name)
  return {
    ...{ root, logs, reopen, at },
    alice: () => readdirSync(at('alice')).sort(),
    all: () => readdirSync(root).sort(),
    fill: (name: string, megabytes: number) =>
      appendFileSync(at(name), `${'x'.repeat(1023)}\n`.repeat(1024 * megabytes)),
    size: (name: string) => statSync(at(name)).size,
    sweep: () => logs.sweep(limits),
    tomorrow: () => (now += 24 * 3_600_000),
  }
}

test('a log of an account beyond its limit is cut while its writer goes on', async () => {
  const { logs, at, alice, size, sweep, reopen } = hostLogs()
  const log = 'alice/alice.example.error.log'
  const writer = openSync(at(log), 'a')
  onTestFinished(() => closeSync(writer))
  for (let n = 0; n < 2048; n++) writeSync(writer, `${'x'.repeat(1023)}\n`)
  await sweep()
  expect([size(log), alice()]).toEqual([0, ['alice.example.error.log', 'alice.example.error.log-20260115']])
  writeSync(writer, 'and on\n')
  expect(readFileSync(at(log), 'utf8')).toBe('and on\n')
  expect(reopen).not.toHaveBeenCalled()
  await logs.sweep(limits)
  expect(readFileSync(at(log), 'utf8')).toBe('and on\n')
})

test('cuts the oldest of all logs of an account first, then the longest of those being written', async () => {
  const { fill, alice, sweep, size } = hostLogs()
  fill('alice/a.example.access.log', 1)
  for (const day of ['20260110', '20260111.gz', '20260112']) fill(`alice/a.example.access.log-${day}`, 1)
  await sweep()
  expect(alice()).toEqual(['a.example.access.log', 'a.example.access.log-20260111.gz', 'a.example.access.log-20260112'])
  for (let n = 0; n < 4; n++) fill(`alice/s${n}.example.access.log`, 1)
  await sweep()
  const sizes = alice().map((name) => size(`alice/${name}`))
  expect(sizes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(3 * mebibyte)
  await sweep()
  expect(alice().filter((name) => name.endsWith('.log'))).toHaveLength(5)
})

test('what a program made long without writing a byte is cut too', async () => {
  const { at, sweep, size } = hostLogs()
  const log = 'alice/shop.app.log'
  writeFileSync(at(log), 'x')
  truncateSync(at(log), 5 * mebibyte)
  await sweep()
  expect(size(log)).toBe(0)
})

test('no link is followed', async () => {
  const { root, at, sweep, size, fill } = hostLogs()
  fill('elsewhere', 2)
  symlinkSync(at('elsewhere'), at('alice/a.example.access.log'))
  symlinkSync(join(root, 'alice'), at('bob'))
  linkSync(at('elsewhere'), at('unrelated'))
  await sweep()
  expect(size('elsewhere')).toBe(2 * mebibyte)
})

const line = (bytes: number): string => `1768478400.000\talice\ta.example\t200\t1\t${bytes}\n`
const order = { log: 'web', first: '2026-01-01', last: '2026-01-16', maxBytes: 2 ** 30 } as const

test('traffic is counted in full, however often its log is started anew', async () => {
  const { at, logs, sweep, reopen, all, fill } = hostLogs()
  const log = at('bandwidth.log')
  let [since, sent, parts]: [{ file: string; offset: number } | undefined, number, number] = [undefined, 0, 0]
  const count = async () => {
    const { next, transfers } = await logs.traffic({ ...order, ...(since && { since }) })
    since = next
    sent += transfers.reduce((sum, one) => sum + one.sent, 0)
  }
  appendFileSync(log, line(1))
  await count()
  for (const bytes of [10, 100, 1000]) {
    appendFileSync(log, line(bytes))
    fill('bandwidth.log', 1)
    await sweep()
    expect(reopen).toHaveBeenCalledTimes(++parts)
    if (bytes === 100) await count()
  }
  expect(all().filter((name) => name.startsWith('bandwidth'))).toEqual([
    'bandwidth.log-20260115',
    'bandwidth.log-20260115.1',
    'bandwidth.log-20260115.2',
  ])
  appendFileSync(log, line(10_000))
  await count()
  expect(sent).toBe(11_111)
})

test('the daily rotation does not rename what is newer below what was rotated by size', async () => {
  const { at, logs, sweep, all, fill, tomorrow } = hostLogs()
  fill('bandwidth.log', 2)
  tomorrow()
  await sweep()
  appendFileSync(at('bandwidth.log'), line(1))
  await logs.rotateLogs({ day: '2026-01-15', keepFrom: '2026-01-01' })
  expect(all()).toEqual(['alice', 'bandwidth.log', 'bandwidth.log-20260116'])
  tomorrow()
  await logs.rotateLogs({ day: '2026-01-17', keepFrom: '2026-01-01' })
  expect(all()).toEqual(['alice', 'bandwidth.log-20260116.gz', 'bandwidth.log-20260117'])
})

test('the log of an Apache, which has it open, is cut in place', async () => {
  const { at, logs, alice } = hostLogs()
  const log = openSync(at('alice/apache.error.log'), 'a')
  writeSync(log, 'first\n')
  await logs.rotateLogs({ day: '2026-01-15', keepFrom: '2026-01-01' })
  writeSync(log, 'second\n')
  closeSync(log)
  expect(alice()).toEqual(['apache.error.log', 'apache.error.log-20260115'])
  expect(readFileSync(at('alice/apache.error.log'), 'utf8')).toBe('second\n')
})

test('traffic that is not counted is bounded: the oldest is lost', async () => {
  const { sweep, all, fill } = hostLogs()
  for (let n = 0; n < 6; n++) {
    fill('bandwidth.log', 2)
    await sweep()
  }
  await sweep()
  expect(all()).toEqual(['alice', 'bandwidth.log-20260115.4', 'bandwidth.log-20260115.5'])
})

test("a service's own log keeps its end and one earlier file", async () => {
  const { sweep, all, fill, size, tomorrow } = hostLogs(['error.log', 'none.log'])
  fill('error.log', 2)
  await sweep()
  tomorrow()
  fill('error.log', 2)
  await sweep()
  expect([all(), size('error.log')]).toEqual([['alice', 'error.log', 'error.log-20260116'], 0])
})

test('logs are swept each minute, and at once when the disk fills', async () => {
  let [free, time] = [1000 * mebibyte, 0]
  const sweep = vi.fn(() => Promise.resolve())
  const look = sweeper({ path: '/', sweep, now: () => time, freeBytes: () => Promise.resolve(free) })
  const swept = async (seconds: number, written: number) => {
    time += seconds * 1000
    free -= written * mebibyte
    sweep.mockClear()
    await look()
    return sweep.mock.calls.length
  }
  expect([await swept(0, 0), await swept(1, 60), await swept(1, 60), await swept(1, 0)]).toEqual([1, 0, 1, 0])
  expect([await swept(56, 0), await swept(3, 0)]).toEqual([0, 1])
})
