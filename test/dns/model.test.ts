import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startPanel, type TestPanel } from '../harness.ts'
import { zoneOf } from './fixtures.ts'

const checkzone = '/usr/bin/named-checkzone'
const name = fc.constantFrom('@', 'www', 'mail', 'a', 'b.a', '*', '*.a', '_x._tcp', 'sub')
const value = fc.constantFrom(
  ['A', '192.0.2.9'],
  ['AAAA', '2001:db8::9'],
  ['CNAME', 'a.alice.example'],
  ['MX', 'mail.alice.example'],
  ['MX', 'b.a.alice.example'],
  ['MX', '.'],
  ['NS', 'ns1.host.example'],
  ['NS', 'ns.sub.alice.example'],
  ['TXT', 'v=spf1 -all'],
  ['TXT', 'a "b" \\ ; ü'],
  ['SRV', 'www.alice.example'],
  ['DS', `1 13 2 ${'AB'.repeat(32)}`],
)
const ttl = fc.constantFrom(undefined, null, 300, 3600)
const record = fc.tuple(name, value, ttl).map(([name, [type, value], ttl]) => ({
  name,
  type,
  value,
  ...(ttl === undefined ? {} : { ttl }),
  ...(type === 'SRV' ? { port: 1 } : {}),
}))
const at = fc.nat(30)
const step = fc.oneof(
  fc.record({ kind: fc.constant('add' as const), record }),
  fc.record({ kind: fc.constant('delete' as const), at }),
  fc.record({ kind: fc.constant('update' as const), at, ttl, name }),
  fc.record({ kind: fc.constant('batch' as const), at, records: fc.array(record, { maxLength: 4 }) }),
  fc.record({
    kind: fc.constant('import' as const),
    mode: fc.constantFrom('merge', 'replace'),
    hosts: fc.array(fc.constantFrom('a', 'b.a', 'mail', 'sub'), { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant('times' as const), ttl: fc.constantFrom(300, 3600) }),
  fc.record({ kind: fc.constant('reset' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never
type Zone = Awaited<ReturnType<typeof zoneOf>>

async function take(panel: TestPanel, zone: Zone, step: Step) {
  const all = await zone.records()
  const path = 'at' in step && all.length > 0 ? `${zone.zone}/records/${all[step.at % all.length].id}` : undefined
  switch (step.kind) {
    case 'add':
      return panel.post(`${zone.zone}/records`, step.record)
    case 'delete':
      return path ? panel.delete(path) : undefined
    case 'update':
      return path
        ? panel.patch(path, { name: step.name, ...(step.ttl === undefined ? {} : { ttl: step.ttl }) })
        : undefined
    case 'batch':
      return zone.change({ delete: path ? [path.split('/').at(-1)] : [], create: step.records })
    case 'import':
      return zone.load(step.hosts.map((host) => `${host} 300 A 192.0.2.5`).join('\n'), { mode: step.mode })
    case 'times':
      return panel.patch(zone.zone, { ttl: step.ttl })
    case 'reset':
      return panel.post(`${zone.zone}/reset`)
  }
}

/** The effect of a step on the zone: at most one serial, and exactly one event per changed record. */
async function expectInOrder(panel: TestPanel, zone: Zone, step: Step): Promise<void> {
  const before = { ...(await zone.show()), records: await zone.records() }
  panel.forget()
  const reply = await take(panel, zone, step)
  const after = { ...(await zone.show()), records: await zone.records() }
  // Jobs of earlier steps may end during this one.
  const events = panel.events().filter((type) => type.startsWith('dns.'))
  const changed = JSON.stringify([before.ttl, before.records]) !== JSON.stringify([after.ttl, after.records])
  if (reply?.status !== 202) expect([after.serial, changed, events]).toEqual([before.serial, false, []])
  if (step.kind === 'reset') return expect([after.serial, events]).toEqual([before.serial + 1, ['dns.zone.reset']])
  expect(after.serial).toBe(before.serial + (changed ? 1 : 0))
  expect(events.toSorted()).toEqual(expectedEvents(before.records, after.records).toSorted())
}

type Rows = { id: string }[]

function expectedEvents(before: Rows, after: Rows): string[] {
  const had = new Map(before.map((row) => [row.id, JSON.stringify(row)]))
  const has = new Set(after.map(({ id }) => id))
  return [
    ...before.filter(({ id }) => !has.has(id)).map(() => 'dns.record.deleted'),
    ...after.filter(({ id }) => !had.has(id)).map(() => 'dns.record.created'),
    ...after
      .filter((row) => had.has(row.id) && had.get(row.id) !== JSON.stringify(row))
      .map(() => 'dns.record.updated'),
  ]
}

async function expectServed(panel: TestPanel, zone: Zone): Promise<void> {
  await panel.settle()
  const { serial, applied_serial, record_count } = await zone.show()
  expect(applied_serial).toBe(serial)
  const { zone_file } = (await panel.get(`${zone.zone}/export`)).body
  const again = await zone.load(zone_file, { mode: 'replace' })
  expect(again.body).toMatchObject({ created: 0, deleted: 0, unchanged: record_count, zone: { serial } })
  if (!existsSync(checkzone)) return
  const file = join(panel.dir, 'host/etc/bind/panel/zones/alice.example.zone')
  const { status, stdout } = spawnSync(checkzone, ['-i', 'local', '-k', 'fail', '-n', 'fail', 'alice.example', file], {
    encoding: 'utf8',
  })
  expect([status, status === 0 ? '' : stdout]).toEqual([0, ''])
}

test('any sequence of changes leaves a zone that BIND can serve, with one serial per change', {
  timeout: 60_000,
}, async () => {
  const panel = await startPanel()
  const alice = await panel.account('alice')
  const zone = await zoneOf(panel, alice.id, 'alice.example')
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      await panel.post(`${zone.zone}/reset`)
      for (const one of steps) await expectInOrder(panel, zone, one)
      await expectServed(panel, zone)
    }),
    { numRuns: 60 },
  )
})
