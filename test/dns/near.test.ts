import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Edit, findingOf, touchedBy, type Validated, validate } from '../../src/areas/dns/change.ts'
import { topOf } from '../../src/areas/dns/migrations.ts'
import { near } from '../../src/areas/dns/neighbours.ts'
import { recordOf } from '../../src/areas/dns/rules.ts'
import {
  addRecord,
  columnsOf,
  emptyZone,
  recordsOf,
  removeRecord,
  setRecord,
  zoneById,
} from '../../src/areas/dns/store.ts'
import type { ZoneRow } from '../../src/areas/dns/tables.ts'
import { runToEnd } from '../../src/runtime/operations/slices.ts'
import type { TestPanel } from '../harness.ts'
import { withZone } from './fixtures.ts'

const tops = ['a', 'b', 'c', 'mail']
const below = ['', 'x.', 'y.x.', '*.', '*.x.']
const names = ['@', '*', ...tops.flatMap((top) => below.map((under) => under + top))]
const hosts = ['', 'q.', ...names.filter((name) => !/[*@]/.test(name)).map((name) => `${name}.`)]
const host = fc.constantFrom(...hosts.map((name) => `${name}alice.example`), 'elsewhere.example')
const of = (type: string, value: fc.Arbitrary<string>) => value.map((text) => [type, text] as const)
const output = fc.oneof(
  { weight: 4, arbitrary: of('A', fc.constantFrom('192.0.2.1', '192.0.2.2')) },
  of('CNAME', host),
  { weight: 2, arbitrary: of('MX', fc.oneof(host, fc.constant('.'))) },
  { weight: 3, arbitrary: of('NS', host) },
  of('DS', fc.constant(`1 13 2 ${'AB'.repeat(32)}`)),
  of('TXT', fc.constantFrom('v=spf1 -all', 'v=spf1 mx', 'x')),
)
const ttl = fc.constantFrom(undefined, null, 300)
const expected = fc
  .tuple(fc.constantFrom(...names), output, ttl)
  .filter(([name, [type]]) => name !== '@' || type !== 'NS')
  .filter(([name, [type]]) => !name.startsWith('*') || !['NS', 'DS'].includes(type))
  .filter(([name, [type]]) => name !== '@' || type !== 'DS')
  .map(([name, [type, value], ttl]) => ({ input: { name, type, value }, ttl }))
const step = fc.record({
  deletes: fc.array(fc.nat(60), { maxLength: 2 }),
  updates: fc.array(fc.tuple(fc.nat(60), expected), { maxLength: 1 }),
  creates: fc.array(expected, { minLength: 1, maxLength: 4 }),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

function editOf(panel: TestPanel, zone: ZoneRow, { deletes, updates, creates }: Step): Edit {
  const rows = recordsOf(panel.store.db, zone.id)
  const chosen = (at: number) => (rows.length > 0 ? [rows[at % rows.length]!] : [])
  const gone = new Set(deletes.flatMap(chosen))
  const of = ({ input, ttl }: Step['creates'][number]) => ({
    record: recordOf({ ...input, ttl }, zone.name),
    ttl,
  })
  return {
    deletes: [...gone],
    updates: updates.flatMap(([at, to]) =>
      chosen(at)
        .filter((row) => !gone.has(row))
        .map((row) => ({ row, ...of(to) })),
    ),
    creates: creates.map(of),
  }
}

function apply(panel: TestPanel, zone: ZoneRow, edit: Edit, planned: Validated['planned']): void {
  const ctx = { store: panel.store, db: panel.store.db }
  for (const { id } of edit.deletes) removeRecord(ctx, id)
  edit.updates.forEach(({ row }, at) => {
    setRecord(ctx, row.id, columnsOf(planned.updates[at]!))
  })
  for (const record of planned.creates) {
    const made = { id: panel.panel.runtime.id(), zone_id: zone.id, managed: false, created_at: 1, updated_at: 1 }
    addRecord(ctx, { ...made, ...columnsOf(record) })
  }
}

test('checking only the names a change touches equals checking the whole zone', { timeout: 60_000 }, async () => {
  const { panel, zone: path } = await withZone()
  const zone = zoneById(panel.store.db, path.split('/').at(-1)!)!
  const { db } = panel.store
  const outcomes = { refused: 0, accepted: 0, parts: 0 }
  const play = (steps: readonly Step[]) => {
    emptyZone({ db }, zone.id)
    for (const step of steps) {
      const edit = editOf(panel, zone, step)
      const some = runToEnd(near(db, zone, touchedBy(edit)))
      const all = recordsOf(db, zone.id)
      const complete = runToEnd(validate(zone, edit, { records: all, isChecked: () => true }))
      const finding = findingOf(complete)
      expect(findingOf(runToEnd(validate(zone, edit, some)))).toEqual(finding)
      if (some.records.length < all.length) outcomes.parts++
      outcomes[finding ? 'refused' : 'accepted']++
      if (!finding) apply(panel, zone, edit, complete.planned)
    }
  }
  const full = fc.property(fc.array(step, { minLength: 10, maxLength: 40 }), (steps) => {
    play(steps)
  })
  await panel.store.change(() => fc.assert(full, { numRuns: 60 }))
  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(100)
})

test('a change of 500 names reads few records whole, however many the zone has', async () => {
  const { panel, zone: path } = await withZone()
  const zone = zoneById(panel.store.db, path.split('/').at(-1)!)!
  await panel.store.change(() => {
    for (let at = 0; at < 1_000; at++) {
      const made = { id: panel.panel.runtime.id(), zone_id: zone.id, managed: false, created_at: 1, updated_at: 1 }
      addRecord(
        { store: panel.store },
        { ...made, ...columnsOf(recordOf({ name: `h${at}`, type: 'A', value: '192.0.2.1' }, zone.name)) },
      )
    }
  })
  const changed = Array.from({ length: 500 }, (_, at) =>
    recordOf({ name: `x${at}`, type: 'A', value: '192.0.2.1' }, zone.name),
  )
  const { records } = runToEnd(near(panel.store.db, zone, changed))
  expect(records.filter(({ name }) => name.startsWith('h'))).toEqual([])
  expect(records.length).toBeLessThan(10)
})

test('records are found by the label below the zone, and those that point to a host, by indexes', async () => {
  const { panel } = await withZone()
  const plan = (where: string) =>
    panel.store.sqlite
      .prepare(`EXPLAIN QUERY PLAN SELECT * FROM dns_records WHERE zone_id = ? AND ${where}`)
      .all('x')
      .map((row) => (row as { detail: string }).detail)
      .join()
  expect(plan(`${topOf('name')} IN (SELECT value FROM json_each('["a"]'))`)).toContain(
    'INDEX dns_records_top (zone_id=?',
  )
  expect(plan("type IN ('MX', 'NS', 'SRV')")).toContain('dns_records_pointer')
  const top = panel.store.sqlite.prepare(`SELECT ${topOf('@name')}`).pluck()
  for (const name of ['@', '*', 'a', 'ab.ba', '*.a.b', 'a.a.a', '_sip._tcp', 'x-.a-b'])
    expect(top.get({ name }), name).toBe(name.slice(name.lastIndexOf('.') + 1))
})
