import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { beforeEach, expect, test, vi } from 'vitest'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { append, counted, logs, visit } from './lines.ts'

let panel: TestPanel
let alice: Json
let domain: string
const access = 'alice/alice.example.access.log'
const day = 24 * 3_600_000
const midnight = Date.UTC(2026, 0, 16)

beforeEach(async () => {
  panel = await startPanel()
  alice = await panel.account('alice')
  domain = (await panel.get(`/accounts/${alice.id}/domains`)).body.items[0].id
  await counted(panel)
})

const names = (): string[] => readdirSync(logs(panel, 'alice')).sort()
const read = (name: string): string => readFileSync(logs(panel, name), 'utf8')
/** Runs the counting of logs at a time, without waiting for other due work. */
function countedAt(time: number): Promise<void> {
  panel.clock.jump(time - panel.clock.now())
  return counted(panel)
}
const untilMidnight = () => countedAt(midnight)
const listed = async (): Promise<Json[]> => (await panel.get(`/accounts/${alice.id}/logs`)).body.items

test('each day starts new logs; those of previous days are compressed', async () => {
  append(panel, access, 'the first day\n')
  append(panel, 'alice/alice.example.error.log', 'an error\n')
  append(panel, 'alice/php.log', 'a warning\n')
  append(panel, 'alice/notes.txt', 'not a log\n')
  append(panel, 'bandwidth.log', 'rubbish\n')
  await untilMidnight()
  const [error, php] = ['alice.example.error.log-20260115', 'php.log-20260115']
  expect(names()).toEqual(['alice.example.access.log-20260115', error, 'notes.txt', php])
  expect(existsSync(logs(panel, 'bandwidth.log-20260115'))).toBe(true)
  append(panel, access, 'the second day\n')
  await countedAt(midnight + day)
  expect(names()).toEqual([
    'alice.example.access.log-20260115.gz',
    'alice.example.access.log-20260116',
    `${error}.gz`,
    'notes.txt',
    `${php}.gz`,
  ])
  expect(gunzipSync(readFileSync(logs(panel, `${access}-20260115.gz`))).toString()).toBe('the first day\n')
  expect(read(`${access}-20260116`)).toBe('the second day\n')
  append(panel, access, 'the third day\n')
  expect((await listed())[0]).toMatchObject({ kind: 'access', days: ['2026-01-17', '2026-01-16', '2026-01-15'] })
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

test('what is written just before a day ends is counted', async () => {
  await countedAt(midnight - 60_000)
  append(panel, access, visit({ at: midnight - 30_000 }))
  await counted(panel, 60_000)
  append(panel, access, visit({ at: midnight + 30_000 }))
  await counted(panel)
  const query = new URLSearchParams({ domain_id: domain })
  const { items } = (await panel.get(`/accounts/${alice.id}/logs/visitors?${query}`)).body
  expect(items).toMatchObject([
    { day: '2026-01-15', requests: 1 },
    { day: '2026-01-16', requests: 1 },
  ])
})

test('logs are kept for 30 days', async () => {
  for (const date of ['20251216', '20251217', '20251218']) writeFileSync(logs(panel, `${access}-${date}`), `${date}\n`)
  await untilMidnight()
  expect(names()).toEqual(['alice.example.access.log-20251217.gz', 'alice.example.access.log-20251218.gz'])
  await countedAt(midnight + day)
  expect(names()).toEqual(['alice.example.access.log-20251218.gz'])
})

test('an interrupted rotation is repeated, and changes nothing twice', async () => {
  append(panel, access, 'the first day\n')
  const { change } = panel.store
  Object.assign(panel.store, { change: () => Promise.reject(new Error('killed')) })
  await expect(untilMidnight()).rejects.toThrow('killed')
  Object.assign(panel.store, { change })
  writeFileSync(logs(panel, `${access}-20260114`), 'older\n')
  writeFileSync(logs(panel, `${access}-20260114.gz.partial`), 'hal')
  await panel.restart()
  await counted(panel)
  expect(names()).toEqual(['alice.example.access.log-20260114.gz', 'alice.example.access.log-20260115'])
  append(panel, access, 'the second day\n')
  await panel.restart()
  await counted(panel)
  expect(read(access)).toBe('the second day\n')
  expect(read(`${access}-20260115`)).toBe('the first day\n')
})

test('a server without accounts sends its host no request', async () => {
  const requests: string[] = []
  const empty = await startPanel({
    driver(root) {
      const real = createDirectoryDriver({ root })
      vi.spyOn(real.logs, 'traffic').mockImplementation(({ log, since }) => {
        requests.push(log)
        return Promise.resolve({ next: since ?? { file: '0', offset: 0 }, more: false, transfers: [] })
      })
      return real
    },
  })
  await counted(empty)
  expect(requests).toEqual([])
  await empty.account('alice')
  await counted(empty)
  expect(requests).toEqual(['web', 'ftp', 'mail'])
})

test('a link in place of a log is left alone', async () => {
  symlinkSync('/etc/passwd', logs(panel, access))
  symlinkSync('/etc/passwd', logs(panel, `${access}-20260110`))
  await untilMidnight()
  expect(names()).toEqual(['alice.example.access.log', 'alice.example.access.log-20260110'])
})

test('figures are kept for 400 days', async () => {
  const { sqlite } = panel.store
  const oldest = Date.UTC(2026, 0, 16) - 399 * day
  const at = (moment: number) => new Date(moment).toISOString().slice(0, 10)
  await panel.store.change(() => {
    for (const moment of [oldest - day, oldest]) {
      sqlite.prepare('INSERT INTO traffic_days VALUES (?, ?, 1, 1, 1, 1)').run(alice.id, at(moment))
      sqlite
        .prepare(
          `INSERT INTO visitor_days (domain_id, day, requests, visitors, bytes, bots, top, open)
           VALUES (?, ?, 1, 1, 1, 1, '{"paths":[],"referrers":[],"statuses":[]}', 0)`,
        )
        .run(domain, at(moment))
      sqlite.prepare(`INSERT INTO usage_points VALUES (?, 'day', ?, ?, 1, 1, NULL, NULL)`).run(alice.id, moment, moment)
    }
  })
  await untilMidnight()
  const left = (table: string) => sqlite.prepare(`SELECT count(*) FROM ${table}`).pluck().get()
  expect([left('traffic_days'), left('visitor_days')]).toEqual([1, 1])
  const { items } = (await panel.get(`/accounts/${alice.id}/logs/usage?from=${at(oldest)}`)).body
  expect(items[0]).toMatchObject({ at: oldest })
})
