import { appendFileSync, chmodSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { type Json, type Reply, startPanel, type TestPanel } from '../harness.ts'
import { unknown } from '../world.ts'

let panel: TestPanel
let alice: Json
let domain: string
let access: string

beforeEach(async () => {
  panel = await startPanel()
  alice = await panel.account('alice')
  domain = await mainDomain(alice.id)
  access = join(panel.dir, 'host/var/log/panel/alice/alice.example.access.log')
})

const mainDomain = async (account: string): Promise<string> =>
  (await panel.get(`/accounts/${account}/domains`)).body.items[0].id
const tail = (query: object): Promise<Reply> =>
  panel.get(`/accounts/${alice.id}/logs/tail?${new URLSearchParams({ domain_id: domain, ...query })}`)
const texts = ({ body }: Reply): string[] => body.items.map(({ text }: Json) => text)
const error = ({ status, code, body }: Reply): unknown[] => [status, code, Object.keys(body.fields ?? {})]
const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, n) => `line ${from + n}\n`).join('')

test('reads the last lines, then new ones, complete lines only', async () => {
  expect(await tail({})).toMatchObject({ status: 200, body: { items: [] } })
  writeFileSync(access, numbered(0, 500))
  const last = await tail({ limit: '3' })
  expect(texts(last)).toEqual(['line 497', 'line 498', 'line 499'])
  const nothing = await tail({ cursor: last.body.next })
  expect([texts(nothing), nothing.body.next]).toEqual([[], last.body.next])
  appendFileSync(access, 'line 500\nline 50')
  const more = await tail({ cursor: last.body.next })
  expect(texts(more)).toEqual(['line 500'])
  appendFileSync(access, '1\n')
  expect(texts(await tail({ cursor: more.body.next }))).toEqual(['line 501'])
  expect(texts(await tail({ q: 'LINE 49', limit: '2' }))).toEqual(['line 498', 'line 499'])
})

test('reads on across a rotation, with a gap if lines are gone', async () => {
  writeFileSync(access, numbered(0, 10))
  const { next } = (await tail({})).body
  appendFileSync(access, numbered(10, 12))
  renameSync(access, `${access}-20260115`)
  writeFileSync(access, numbered(12, 14))
  const rest = await tail({ cursor: next })
  expect([texts(rest), rest.body.gap]).toEqual([['line 10', 'line 11'], undefined])
  const then = await tail({ cursor: rest.body.next })
  expect([texts(then), then.body.gap]).toEqual([['line 12', 'line 13'], undefined])
  rmSync(`${access}-20260115`)
  const lost = await tail({ cursor: next })
  expect([texts(lost), lost.body.gap]).toEqual([['line 12', 'line 13'], true])
})

test('a log that is rotated in the middle of a line is read to its end, then the new one', async () => {
  writeFileSync(access, 'one\ntw')
  const first = await tail({})
  renameSync(access, `${access}-20260115`)
  writeFileSync(access, 'three\nfo')
  const rest = await tail({ cursor: first.body.next })
  const then = await tail({ cursor: rest.body.next })
  expect([first, rest, then].map(texts)).toEqual([['one'], ['tw'], ['three']])
  expect([rest.body.gap, then.body.gap]).toEqual([undefined, undefined])
  const elsewhere = await tail({ cursor: first.body.next, q: 'three' })
  expect([texts(elsewhere), texts(await tail({ cursor: elsewhere.body.next, q: 'three' }))]).toEqual([[], ['three']])
})

/** Touches the file until its change time differs from its birth, as in any used log: file clocks are coarse. */
function olderThanItsChange(path: string): void {
  const isNew = () => {
    const { birthtimeNs, ctimeNs } = statSync(path, { bigint: true })
    return birthtimeNs === ctimeNs
  }
  for (let tries = 0; tries < 10_000 && isNew(); tries++) chmodSync(path, 0o644)
}

test("reports a gap if lines are gone and their file's inode was reused", async () => {
  writeFileSync(access, 'h\n')
  olderThanItsChange(access)
  const { next } = (await tail({})).body
  rmSync(access)
  writeFileSync(access, 'i\n')
  const lost = await tail({ cursor: next })
  expect([texts(lost), lost.body.gap]).toEqual([['i'], true])
})

test('long, binary or too many lines are truncated', async () => {
  writeFileSync(access, Buffer.concat([Buffer.alloc(300_000, 'x'), Buffer.from([0x0a, 0xff, 0x0a])]))
  expect(texts(await tail({})).map((text) => text.length)).toEqual([8_192, 1])
  writeFileSync(access, `${'y'.repeat(8_000)}\n`.repeat(1_000))
  const page = await tail({ limit: '1000' })
  expect(texts(page).length).toBeGreaterThan(100)
  expect(texts(page).length).toBeLessThan(200)
})

test('a cursor that is forged, or of another log, is refused', async () => {
  writeFileSync(access, numbered(0, 3))
  const { next } = (await tail({})).body
  const forged = Buffer.from(
    Buffer.from(next, 'base64url')
      .toString()
      .replace(/\.\d+\./, '.0.'),
  ).toString('base64url')
  for (const query of [{ cursor: forged }, { cursor: next, kind: 'error' }, { cursor: 'nonsense' }])
    expect(error(await tail(query))).toEqual([400, 'validation', ['cursor']])
})

test('reads only a log of the account, found by its domain, and never through a link', async () => {
  const bob = await panel.account('bob')
  for (const domain_id of [await mainDomain(bob.id), unknown, '../../etc/passwd'])
    expect(error(await tail({ domain_id }))).toEqual([400, 'validation', ['domain_id']])
  symlinkSync('/etc/passwd', access)
  expect(texts(await tail({}))).toEqual([])
})

test('a log is listed with its days, and each can be downloaded', async () => {
  writeFileSync(access, 'today\n')
  writeFileSync(`${access}-20260114`, 'yesterday\n')
  writeFileSync(`${access}-20260113.gz`, 'before')
  writeFileSync(join(access, '../php.log'), 'php\n')
  const { items } = (await panel.get(`/accounts/${alice.id}/logs`)).body
  expect(items).toMatchObject([
    {
      domain_id: domain,
      domain: 'alice.example',
      kind: 'access',
      size: 6,
      days: ['2026-01-15', '2026-01-14', '2026-01-13'],
    },
    { kind: 'php', size: 4 },
  ])
  const download = (day: string, kind = 'access') =>
    panel.get(`/accounts/${alice.id}/logs/download?domain_id=${domain}&kind=${kind}&day=${day}`)
  const read = []
  for (const day of items[0].days) {
    const { body, headers } = await download(day)
    read.push([body, headers.get('content-disposition')?.split(';')[1]])
  }
  expect(read).toEqual([
    ['today\n', ' filename="alice.example.access.log"'],
    ['yesterday\n', ' filename="alice.example.access.log-20260114"'],
    ['before', ' filename="alice.example.access.log-20260113.gz"'],
  ])
  expect((await download('2026-01-01')).code).toBe('not-found')
  for (const day of ['../../etc', '2026-02-30'])
    expect(error(await download(day))).toEqual([400, 'validation', ['day']])
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})
