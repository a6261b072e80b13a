import { once } from 'node:events'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Condition } from '../../src/host/contract/driver.ts'
import { directoryMachine } from '../../src/host/driver/directory-machine.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { replicaFile, replicaMark } from '../../src/shared/replica.ts'
import { turns } from '../clock.ts'
import { startPanel, type TestPanel } from '../harness.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const root = { path: '/', usedMb: 10_000, totalMb: 100_000, usedInodes: 1000, inodes: 100_000 }
const well: Omit<Condition, 'now'> = {
  ...{ cpus: 2, load: 100, memoryMb: 4000, availableMb: 3000 },
  fileSystems: [root],
  stopped: [],
  ...{ queuedMail: 3, deferredMail: 1 },
  failingDisks: [],
}

/** A panel whose machine is as a test says. */
async function machine() {
  const state = { ...well, aheadMs: 0, answers: true }
  let looks = 0
  const panel: TestPanel = await startPanel({
    driver: (place) =>
      createDirectoryDriver({
        root: place,
        machine: {
          ...directoryMachine({ root: place, trustTenants: false }),
          condition: async () => {
            looks++
            const { aheadMs, answers, ...condition } = state
            if (!answers) throw new Error('it hangs')
            return { ...condition, now: panel.clock.now() + aheadMs }
          },
        },
      }),
  })
  panel.forget()
  const looked = async (move: () => Promise<void>) => {
    const before = looks
    await move()
    await expect.poll(() => looks, { interval: 1 }).toBeGreaterThan(before)
    await turns(20)
  }
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= minute) await looked(() => panel.clock.advance(minute))
  }
  /** A look in each hour. */
  const hours = async (count: number, each: (at: number) => void) => {
    for (let at = 0; at < count; at++) {
      each(at)
      await looked(() => panel.clock.leap(hour))
    }
  }
  const found = async () =>
    (await panel.get('/notices')).body.items.map(
      ({ kind, severity, detail }: Record<string, string>) => `${severity} ${kind}: ${detail}`,
    )
  return { panel, state, pass, hours, found }
}

test('a machine that is well has no notices, and looking at it makes no events and no jobs', async () => {
  const { panel, pass, found } = await machine()
  await pass(hour)
  expect(await found()).toEqual([])
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

test('a customer is told that its databases can only be read, as long as that lasts', async () => {
  const { panel, state, pass } = await machine()
  const alice = await panel.account('alice')
  const bob = await panel.account('bob')
  const noticesOfAccount = async (id: string) =>
    (await panel.get(`/accounts/${id}/notices?kind=databases-read-only`)).body.items.map(
      ({ name, severity, detail }: Record<string, string>) => `${severity} ${name}: ${detail}`,
    )
  Object.assign(state, { readOnlyDatabases: ['alice', 'nobody', "x' OR 1=1"] })
  await pass(minute)
  const sentence =
    "The server's disk is nearly full, and the databases are larger than the disk quota: they can only be read, emptied with TRUNCATE and dropped."
  expect([await noticesOfAccount(alice.id), await noticesOfAccount(bob.id)]).toEqual([[`error alice: ${sentence}`], []])
  expect((await panel.get('/notices?kind=databases-read-only')).body.items).toHaveLength(1)
  Object.assign(state, { readOnlyDatabases: undefined })
  await pass(minute)
  expect(await noticesOfAccount(alice.id)).toHaveLength(1)
  Object.assign(state, { readOnlyDatabases: [] })
  await pass(minute)
  expect(await noticesOfAccount(alice.id)).toEqual([])
})

const issues: readonly [changes: Partial<Condition> & { aheadMs?: number }, minutes: number, notice: string][] = [
  [{ load: 401 }, 1, 'warn load-high: More than two processes for each CPU wanted to run for 15 minutes.'],
  [{ availableMb: 199 }, 6, 'warn memory-low: Less than 5 % of the memory is free.'],
  [
    {
      fileSystems: [
        { ...root, usedMb: 95_000 },
        { ...root, path: '/home', usedMb: 99_500 },
      ],
    },
    1,
    'error disk-filling: / is nearly full. /home is nearly full.',
  ],
  [{ fileSystems: [{ ...root, usedInodes: 96_000 }] }, 1, 'warn inodes-filling: / is nearly out of inodes.'],
  [
    { stopped: [{ name: 'nginx', unit: 'nginx.service', state: 'failed' }] },
    3,
    'error service-down: Not running: nginx (nginx.service is failed).',
  ],
  [{ queuedMail: 1001 }, 16, 'warn mail-queue-large: Over 1000 messages wait in the mail queue.'],
  [{ deferredMail: 101 }, 31, 'warn mail-deferred: Over 100 messages could not be delivered yet.'],
  [{ clockOffsetMs: 2001 }, 3, 'warn clock-off: The clock is more than 2 seconds off.'],
  [{ aheadMs: 5 * minute + 1 }, 3, 'error clock-off: The clock is more than 5 minutes off.'],
  [{ aheadMs: -5 * minute - 1 }, 3, 'error clock-off: The clock is more than 5 minutes off.'],
  [
    { failingDisks: [{ device: '/dev/sda', reason: 'It expects to fail soon.' }] },
    1,
    'error disk-failing: /dev/sda: It expects to fail soon.',
  ],
  [{ rebootReason: 'Linux 6.12.48 is installed.' }, 1, 'warn reboot-needed: Linux 6.12.48 is installed.'],
]

test.each(issues)('%j is told after %i minutes, and no longer once it is fixed', async (changes, minutes, notice) => {
  const { state, pass, found } = await machine()
  Object.assign(state, changes)
  await pass((minutes - 1) * minute)
  expect(await found()).toEqual([])
  await pass(minute)
  expect(await found()).toEqual([notice])
  Object.assign(state, well, { aheadMs: 0, clockOffsetMs: undefined, rebootReason: undefined })
  await pass(minute)
  expect(await found()).toEqual([])
})

test('a disk that grows is told by the date when it will be full, as an error three days before', async () => {
  const { panel, state, hours, pass, found } = await machine()
  const filled = (at: number) => {
    state.fileSystems = [{ ...root, usedMb: 40_000 + at * 100 }]
  }
  // 2,400 MB a day: 60,000 MB are left for 25 days.
  await hours(12 * 24, filled)
  await pass(minute)
  expect(await found()).toEqual([
    expect.stringMatching(/^warn disk-filling: \/ will be full on 2026-02-0\d if it goes on growing as it has\.$/),
  ])
  const [{ since }] = (await panel.get('/notices')).body.items
  await hours(11 * 24, (at) => filled(12 * 24 + at))
  await pass(minute)
  expect(await found()).toEqual([
    expect.stringMatching(
      /^error disk-filling: \/ is nearly full, on 2026-02-0\d if|^error disk-filling: \/ will be full on 2026-02-0\d if/,
    ),
  ])
  expect((await panel.get('/notices')).body.items[0].since).toBeGreaterThan(since + 5 * day)
})

test('a disk that empties and fills again, and samples of less than a day, say nothing', async () => {
  const { state, hours, found } = await machine()
  await hours(20, (at) => {
    state.fileSystems = [{ ...root, usedMb: 10_000 + at * 2000 }]
  })
  expect(await found()).toEqual([])
  const again = await machine()
  await again.hours(72, (at) => {
    again.state.fileSystems = [{ ...root, usedMb: at % 2 === 0 ? 10_000 : 80_000 }]
  })
  expect(await again.found()).toEqual([])
})

test('a machine that does not answer keeps what is known of it; dismissed, it is told again once it recurs', async () => {
  const { panel, state, pass, found } = await machine()
  state.load = 1000
  await pass(minute)
  state.answers = false
  await pass(30 * minute)
  const [{ kind, object, object_id, name, command }] = (await panel.get('/notices')).body.items
  expect([kind, object, name, command]).toEqual(['load-high', 'server', 'host.example', 'panel server health'])
  expect((await panel.post('/notices/dismiss', { kind, object_id })).status).toBe(204)
  state.answers = true
  await pass(10 * minute)
  expect(await found()).toEqual([])
  state.load = 0
  await pass(minute)
  state.load = 1000
  await pass(minute)
  expect(await found()).toHaveLength(1)
})

test('neither resellers nor customers hear of the machine', async () => {
  const { panel, state, pass } = await machine()
  state.load = 1000
  await pass(minute)
  const { account } = (await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })).body
  expect((await panel.get(`/accounts/${account.id}/notices`)).body.items).toEqual([])
})

test('a second copy of the store that nothing new reaches is told after 5 minutes, and is an error after an hour', async () => {
  const { panel, pass, found } = await machine()
  const replicator = await startReplicator(panel.dir)
  await pass(10 * minute)
  expect(await found()).toEqual([])
  replicator.isStuck = true
  await pass(5 * minute)
  expect(await found()).toEqual([])
  await pass(minute)
  const late = 'Nothing new has reached the second copy of the store for more than'
  expect(await found()).toEqual([`warn replica-behind: ${late} 5 minutes.`])
  const [{ command, object, since }] = (await panel.get('/notices')).body.items
  expect({ command, object }).toEqual({ command: 'panel replica status', object: 'server' })
  await pass(hour)
  expect(await found()).toEqual([`error replica-behind: ${late} an hour.`])
  expect((await panel.get('/notices')).body.items[0].since).toBeGreaterThan(since)
  replicator.isStuck = false
  await pass(minute)
  expect(await found()).toEqual([])
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

test('a replica that is removed, or whose configuration cannot be read, does not keep machines from being looked at', async () => {
  const { panel, state, pass, found } = await machine()
  mkdirSync(replicaFile(panel.dir))
  state.load = 401
  await pass(minute)
  expect(await found()).toEqual([expect.stringMatching(/^warn load-high/)])
})

/** Answers for a replicator: it has copied all that it read, or stays where it is. */
async function startReplicator(dataDir: string) {
  const state = { isStuck: false, looks: 0, copied: 0 }
  const store = JSON.stringify(realpathSync(join(dataDir, 'panel.db')))
  const server = createServer((_, response) => {
    state.looks++
    if (!state.isStuck) state.copied = state.looks
    const values = { sync_count: state.looks, shadow_wal_size: state.looks, replica_wal_offset: state.copied }
    response.end(
      Object.entries(values)
        .map(([name, value]) => `litestream_${name}{db=${store}} ${value}\n`)
        .join(''),
    )
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const config = `${replicaMark}/copy.\naddr: 127.0.0.1:${port}\ndbs:\n  - path: ${store}\n`
  writeFileSync(replicaFile(dataDir), config)
  return state
}
