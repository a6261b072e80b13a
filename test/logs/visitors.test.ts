import { renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { unknown } from '../world.ts'
import { append, counted, logs, type Visit, visit } from './lines.ts'

let panel: TestPanel
let alice: Json
let domain: string
const access = 'alice/alice.example.access.log'
const now = Date.UTC(2026, 0, 15, 12)
const day = 24 * 3_600_000

beforeEach(async () => {
  panel = await startPanel()
  alice = await panel.account('alice')
  domain = (await panel.get(`/accounts/${alice.id}/domains`)).body.items[0].id
})

const visitors = (query: object = {}) =>
  panel.get(`/accounts/${alice.id}/logs/visitors?${new URLSearchParams({ domain_id: domain, ...query })}`)
const items = async (query?: object): Promise<Json[]> => (await visitors(query)).body.items
const write = (...visits: Partial<Visit>[]) =>
  append(panel, access, visits.map((one) => visit({ at: now, ...one })).join(''))
const numbered = (from: number, to: number): Partial<Visit>[] =>
  Array.from({ length: to - from }, (_, n) => ({ address: `192.0.2.${from + n}` }))

test('counts requests, visitors, bytes and bots of each day, and the most requested paths', async () => {
  expect((await visitors()).body).toEqual({ items: [], top: { paths: [], referrers: [], statuses: [] } })
  write(
    {},
    { request: 'GET /a?secret=1 HTTP/2.0', referrer: 'https://News.example/today?who=me' },
    { address: '2001:db8::1', request: 'GET /a HTTP/2.0', referrer: 'https://www.alice.example/' },
    { agent: 'Googlebot/2.1 (+http://www.google.com/bot.html)', status: 404, request: 'GET /x HTTP/1.1' },
    { at: now - 2 * day, bytes: 7 },
  )
  await counted(panel)
  expect((await visitors()).body).toEqual({
    items: [
      { day: '2026-01-13', requests: 1, visitors: 0, bytes: 7, bots: 0 },
      { day: '2026-01-14', requests: 0, visitors: 0, bytes: 0, bots: 0 },
      { day: '2026-01-15', requests: 4, visitors: 2, bytes: 400, bots: 1 },
    ],
    top: {
      paths: [
        { path: '/', requests: 2 },
        { path: '/a', requests: 2 },
        { path: '/x', requests: 1 },
      ],
      referrers: [{ referrer: 'news.example/today', requests: 1 }],
      statuses: [
        { status: '200', requests: 4 },
        { status: '404', requests: 1 },
      ],
    },
  })
  expect((await visitors({ from: '2026-01-13', to: '2026-01-13' })).body).toMatchObject({
    items: [{ day: '2026-01-13', requests: 1 }],
    top: { paths: [{ path: '/', requests: 1 }] },
  })
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

test('a visitor counts once per day, even across a restart, and again on the next', async () => {
  write(...numbered(1, 4))
  await counted(panel)
  await panel.restart()
  write(...numbered(2, 6))
  await counted(panel)
  expect(await items()).toMatchObject([{ requests: 7, visitors: 5 }])
  panel.clock.jump(day)
  write(...numbered(1, 4).map((one) => ({ ...one, at: now + day })))
  await counted(panel)
  expect(await items()).toMatchObject([{ visitors: 5 }, { requests: 3, visitors: 3 }])
})

test('the store has no address of a visitor, and no hash of one after the day', async () => {
  write({ address: '198.51.100.77' })
  await counted(panel)
  const hashes = () => panel.store.sqlite.prepare('SELECT hash FROM visitor_hashes').pluck().all()
  const salts = () => panel.store.sqlite.prepare('SELECT day FROM visitor_salts').pluck().all()
  expect(hashes()).toEqual([expect.stringMatching(/^[0-9a-f]{16}$/)])
  expect(panel.store.sqlite.serialize().includes('198.51.100.77')).toBe(false)
  expect(salts()).toEqual(['2026-01-14', '2026-01-15'])
  panel.clock.jump(2 * day)
  await counted(panel)
  expect([hashes(), salts()]).toEqual([[], ['2026-01-16', '2026-01-17']])
  expect(await items()).toMatchObject([{ requests: 1, visitors: 1 }, {}, {}])
  write({ address: '198.51.100.77' })
  await counted(panel)
  expect((await items())[0]).toMatchObject({ requests: 2, visitors: 1 })
})

test('invalid, forged, overlong or binary lines are counted as such', async () => {
  const forged = visit({ at: now, request: 'GET /forged HTTP/1.1' }).trim()
  append(panel, access, 'nonsense\n\n')
  append(panel, access, `x${forged}\n`)
  write({ user: `mallory [15/Jan/2026:00:00:00 +0000] GET /forged` })
  write({ agent: `\\" 200 1 \\"-\\" \\"-\\"`, request: 'GET /quoted\\" HTTP/1.1' })
  append(panel, access, Buffer.from(visit({ at: now, request: 'GET /\xff\xfe HTTP/1.1' }), 'latin1'))
  append(panel, access, `${'A'.repeat(1_000_000)} ${forged}\n`)
  write({ request: '\\x16\\x03\\x01', status: 400 }, { request: '-', status: 400 })
  append(panel, access, visit({ at: now + 3 * day }) + visit({ at: now - 60 * day }))
  append(panel, access, `192.0.2.1 - - [99/Foo/2026:99:99:99 +0000] "GET / HTTP/1.1" 200 1 "-" "x"\n`)
  await counted(panel)
  const { body } = await visitors()
  expect(body.items).toMatchObject([{ day: '2026-01-15', requests: 5 }])
  expect(body.top).toEqual({
    paths: [
      { path: '/', requests: 1 },
      { path: '/quoted\\"', requests: 1 },
      { path: '/\ufffd\ufffd', requests: 1 },
    ],
    referrers: [],
    statuses: [
      { status: '200', requests: 3 },
      { status: '400', requests: 2 },
    ],
  })
})

test('a line is counted when it is complete, and one that never ends is skipped', async () => {
  const line = visit({ at: now })
  append(panel, access, line.slice(0, 40))
  await counted(panel)
  expect(await items()).toEqual([])
  append(panel, access, line.slice(40))
  await counted(panel)
  expect(await items()).toMatchObject([{ requests: 1 }])
  append(panel, access, 'B'.repeat(300_000))
  await counted(panel)
  append(panel, access, `${line}${line}`)
  await counted(panel)
  expect(await items()).toMatchObject([{ requests: 2 }])
})

test('a log rotated in the middle is counted completely, once', async () => {
  write(...numbered(1, 5))
  await counted(panel)
  write(...numbered(5, 7))
  renameSync(logs(panel, access), logs(panel, `${access}-20260114`))
  write(...numbered(7, 10))
  await counted(panel)
  expect(await items()).toMatchObject([{ requests: 9, visitors: 9 }])
  append(panel, `${access}-20260114`, visit({ at: now }))
  writeFileSync(logs(panel, access), visit({ at: now, address: '192.0.2.99' }))
  await counted(panel)
  expect(await items()).toMatchObject([{ requests: 10, visitors: 10 }])
})

test('counts across several rotations without a count between them, and never through a link', async () => {
  write({})
  await counted(panel)
  for (const date of ['20260113', '20260114']) {
    write({})
    renameSync(logs(panel, access), logs(panel, `${access}-${date}`))
  }
  write({})
  await counted(panel)
  expect(await items()).toMatchObject([{ requests: 4 }])
  rmSync(logs(panel, access))
  append(panel, 'elsewhere', visit({ at: now }))
  symlinkSync(logs(panel, 'elsewhere'), logs(panel, access))
  await counted(panel)
  expect(await items()).toMatchObject([{ requests: 4 }])
})

test('a log of many megabytes is read in chunks, each counted once even if the server is killed', async () => {
  write(
    ...Array.from({ length: 60_000 }, (_, n) => ({
      address: `10.0.${n >> 8}.${n & 255}`,
      request: `GET /${n} HTTP/1.1`,
    })),
  )
  const { change, sqlite } = panel.store
  const isCounted = () => sqlite.prepare('SELECT count(*) FROM visitor_days').pluck().get() !== 0
  Object.assign(panel.store, {
    change: (work: () => unknown) => (isCounted() ? Promise.reject(new Error('killed')) : change(work)),
  })
  await expect(counted(panel)).rejects.toThrow('killed')
  const some = (await items())[0].requests
  expect(some).toBeGreaterThan(1_000)
  expect(some).toBeLessThan(60_000)
  await panel.restart()
  await counted(panel)
  expect(await items()).toMatchObject([{ requests: 60_000, visitors: 60_000 }])
  expect((await visitors()).body.top.paths).toHaveLength(20)
})

test('invalid, reversed or too many days, and domains of others, are refused', async () => {
  const bob = await panel.account('bob')
  const other = (await panel.get(`/accounts/${bob.id}/domains`)).body.items[0].id
  const error = async (query: object) => {
    const { status, code, body } = await visitors(query)
    return [status, code, Object.keys(body.fields)]
  }
  expect(await error({ from: '2026-02-30' })).toEqual([400, 'validation', ['from']])
  expect(await error({ to: 'today' })).toEqual([400, 'validation', ['to']])
  expect(await error({ from: '2026-01-02', to: '2026-01-01' })).toEqual([400, 'validation', ['from']])
  expect(await error({ from: '2025-01-01', to: '2026-02-05' })).toEqual([400, 'validation', ['from']])
  expect((await visitors({ from: '2025-01-01', to: '2026-02-04' })).status).toBe(200)
  for (const domain_id of [other, unknown, '../../etc/passwd'])
    expect(await error({ domain_id })).toEqual([400, 'validation', ['domain_id']])
})
