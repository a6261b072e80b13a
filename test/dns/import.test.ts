import { expect, test } from 'vitest'
import { accepted, nothing, occurred, problem, withZone } from './fixtures.ts'

const many = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => `t${from + n} TXT "${from + n}"`).join('\n')

test('an export is imported without a change', async () => {
  const { panel, add, zone, load, show } = await withZone()
  accepted(await add('long', 'TXT', `${'ü "\\;'.repeat(100)}`, { ttl: 300 }))
  accepted(await panel.patch(zone, { ttl: 300 }))
  await occurred(panel)
  const before = await show()
  const { zone_file } = (await panel.get(`${zone}/export`)).body
  for (const mode of ['merge', 'replace']) {
    expect(accepted(await load(zone_file, { mode }))).toMatchObject({
      zone: { serial: before.serial },
      created: 0,
      deleted: 0,
      unchanged: before.record_count,
      skipped: [{ line: 3 }, { line: 4 }],
    })
    expect(await occurred(panel)).toMatchObject({ events: ['job.completed'] })
  }
})

test('merge adds, replace also removes', async () => {
  const { panel, load, records, show } = await withZone()
  const { serial } = await show()
  const merged = accepted(await load('a 1h A 192.0.2.1\nwww A 192.0.2.2\n', { serial }))
  expect(merged).toMatchObject({ created: 1, deleted: 0, unchanged: 1, zone: { serial: serial + 1 } })
  expect(await occurred(panel)).toMatchObject({ events: ['dns.record.created', 'job.completed'] })
  const replaced = accepted(await load('a A 192.0.2.1\nb 300 A 192.0.2.2\n', { mode: 'replace', ttl: 600 }))
  expect(replaced).toMatchObject({ created: 2, deleted: 12, unchanged: 0 })
  expect(await occurred(panel)).toMatchObject({
    events: [...Array(12).fill('dns.record.deleted'), 'dns.record.created', 'dns.record.created', 'job.completed'],
  })
  expect((await records()).map(({ name, ttl }) => [name, ttl])).toEqual([
    ['a', 600],
    ['b', 600],
  ])
})

test.each([
  ['$INCLUDE /etc/passwd', 1],
  ['a A 192.0.2.1\n$GENERATE 1-9 h$ A 192.0.2.$', 2],
  ['$ORIGIN evil.example.\na A 192.0.2.1', 2],
  ['a A 192.0.2.1\nb TXT "x\nc A 192.0.2.1', 2],
  ['\nb TXT ( "x"\nc A 192.0.2.1', 2],
  ['a A 192.0.2.1\n_a A 192.0.2.1', 2],
  ['a TXT "v=spf1 -all"\na TXT "v=spf1 ~all"', 2],
  ['a A 192.0.2.1\na CNAME x.example.', 2],
  ['@ CNAME x.example.', 1],
])('refuses %j with its line', async (zone_file, line) => {
  const { panel, load, show } = await withZone()
  const before = await show()
  const reply = await load(zone_file)
  expect(problem(reply)).toEqual([400, 'validation', 'zone_file'])
  expect(reply.body.fields.zone_file).toMatch(new RegExp(`^line ${line}: `))
  expect(await show()).toEqual(before)
  expect(await occurred(panel)).toEqual(nothing)
})

test('a zone has at most ten thousand records, and an import changes at most two thousand', async () => {
  const { panel, add, load, zone, show } = await withZone()
  const { record_count } = await show()
  expect(problem(await load(many(0, 2001)))).toEqual([409, 'too-many'])
  expect(await occurred(panel)).toEqual(nothing)
  for (let part = 0; part < 5; part++) accepted(await load(many(part * 2000, part === 4 ? 2000 - record_count : 2000)))
  await panel.settle()
  expect((await show()).record_count).toBe(10_000)
  expect(problem(await add('more', 'TXT', 'x'))).toEqual([409, 'too-many'])
  let listed = 0
  for (let page = 1; page <= 20; page++)
    listed += (await panel.get(`${zone}/records?per_page=500&page=${page}`)).body.items.length
  expect(listed).toBe(10_000)
  const { zone_file } = (await panel.get(`${zone}/export`)).body
  expect(accepted(await load(zone_file, { mode: 'replace' }))).toMatchObject({
    created: 0,
    deleted: 0,
    unchanged: 10_000,
  })
}, 60_000)

test('a file of more records than a zone may have is refused before it is read to its end', async () => {
  const { panel, load, show, zone } = await withZone()
  const before = await show()
  const refused = await load(`${many(0, 10_001)}\n$INCLUDE unread`)
  expect([refused.status, refused.body.detail]).toEqual([409, 'A zone has at most 10000 records; the file has more.'])
  const compared = await panel.post(`${zone}/compare`, { zone_file: 'a SOA\n'.repeat(80_001) })
  expect([compared.status, compared.body.detail]).toEqual([409, 'A zone file has at most 80000 lines with content.'])
  expect(await show()).toEqual(before)
  expect(await occurred(panel)).toEqual(nothing)
})

test('reads one import of an account at a time, and lets one wait', async () => {
  const { panel, load } = await withZone()
  const replies = await Promise.all(Array.from({ length: 5 }, () => load('\n'.repeat(500_000))))
  const refused = replies.filter(({ status }) => status === 429)
  expect(refused.length).toBeGreaterThan(0)
  expect(replies.filter(({ status }) => status === 202)).toHaveLength(5 - refused.length)
  expect(refused[0]!.body.type).toMatch(/\/rate-limited$/)
  expect(refused[0]!.headers.get('retry-after')).toBe('1')
  expect((await load('a A 192.0.2.1')).status).toBe(202)
  await panel.settle()
})
