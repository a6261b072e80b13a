import { beforeEach, expect, test } from 'vitest'
import type { Reply, TestPanel } from '../harness.ts'
import { formIn, textOf, type Visitor } from './visitor.ts'
import { withZone, type Zone } from './zone.ts'

const page = '/user/dns/alice.example/text'
const op = 'importDnsZone'

let panel: TestPanel
let visitor: Visitor
let zone: Zone

beforeEach(async () => {
  ;({ panel, visitor, zone } = await withZone())
})

const audited = (operation: string): number =>
  panel.store.sqlite.prepare('SELECT count(*) FROM audit WHERE operation = ?').pluck().get(operation) as number

/** The page with the diff of an edited zone text. */
async function compared(edit: (text: string) => string): Promise<Reply> {
  const visible = await visitor.get(page)
  const text = formIn(visible.body, op).fields.get('zone_file')!
  return visitor.submit(visible, op, { zone_file: edit(text) })
}

const edited = (text: string): string =>
  `${text.replace(/^(www\s.*\s)192\.0\.2\.\d+/m, '$1192.0.2.77').replace(/^_dmarc.*\r?\n/m, '')}shop 300 IN TXT "new; text"\r\n`

test('the text of a zone shows a diff by records before it is saved, with one serial', async () => {
  const { serial } = await zone.show()
  const visible = await compared(edited)
  expect(visible.status).toBe(200)
  const text = textOf(visible.body)
  expect(text).toContain('3 records will change.')
  expect(text).toMatch(/~ changed: www A 192\.0\.2\.\d+ 192\.0\.2\.77/)
  expect(text).toMatch(/− deleted: _dmarc TXT/)
  expect(text).toMatch(/\+ new: shop TXT new; text 300/)
  expect([(await zone.show()).serial, audited(op), audited('compareDnsZone')]).toEqual([serial, 0, 1])
  const previous = panel.events().length
  const saved = await visitor.submit(visible, op, { _yes: '1' })
  expect([saved.status, (await zone.show()).serial]).toEqual([303, serial + 1])
  await panel.settle()
  expect(panel.events().slice(previous)).toEqual([
    'dns.record.deleted',
    'dns.record.deleted',
    'dns.record.created',
    'dns.record.created',
    'job.completed',
  ])
  expect(textOf((await visitor.follow(saved)).body)).toContain('Zone saved.')
  expect(await zone.find('www', 'A')).toMatchObject({ value: '192.0.2.77' })
  expect(await zone.find('_dmarc', 'TXT')).toBeUndefined()
})

test('a saved text can be undone, as long as nothing else has changed the zone', async () => {
  const exported = async () =>
    formIn((await visitor.get(page)).body, op)
      .fields.get('zone_file')
      ?.replace(/SOA .*/, 'SOA')
  const before = await exported()
  const { serial } = await zone.show()
  const save = async () => visitor.follow(await visitor.submit(await compared(edited), op, { _yes: '1' }))
  const done = await save()
  expect(textOf(done.body)).toContain('Undo')
  expect((await visitor.submit(done, op)).status).toBe(303)
  expect([await exported(), (await zone.show()).serial]).toEqual([before, serial + 2])
  await save()
  const late = await visitor.submit(done, op, { _key: 'another' })
  expect(late.status).toBe(409)
  expect(await zone.find('_dmarc', 'TXT')).toBeUndefined()
})

test('an equivalent text changes nothing, however it is written', async () => {
  const visible = await compared((text) => `; a comment\r\n${text.replace(/ IN /g, '\tin  ')}`)
  expect(textOf(visible.body)).toContain('No changes.')
  expect(visible.body).not.toContain('name="_yes"')
})

test('errors in a text are shown with the line, and the text stays', async () => {
  const visible = await compared((text) => `${text}shop A nonsense\r\n`)
  expect([visible.status, textOf(visible.body).includes('must be an IPv4 address')]).toEqual([200, true])
  expect(formIn(visible.body, op).fields.get('zone_file')).toContain('shop A nonsense\r\n')
})

test('answers 409 to a concurrent change with the text, a new diff, and what was added since marked', async () => {
  const visible = await compared(edited)
  await panel.clock.advance(1_000)
  await zone.add('other', 'A', '192.0.2.200')
  const refused = await visitor.submit(visible, op, { _yes: '1' })
  expect(refused.status).toBe(409)
  const text = textOf(refused.body)
  expect(text).toContain('4 records will change.')
  expect(text).toMatch(/deleted: other A 192\.0\.2\.200 Conflict: someone else added or changed it\./)
  expect(text.match(/Conflict/g)).toHaveLength(1)
  const { fields } = formIn(refused.body, op)
  const stored = await visitor.submit(refused, op, { zone_file: `${fields.get('zone_file')}other A 192.0.2.200\r\n` })
  expect(textOf(stored.body)).toContain('3 records will change.')
  expect((await visitor.submit(stored, op, { _yes: '1' })).status).toBe(303)
  expect(await zone.find('other', 'A')).toMatchObject({ value: '192.0.2.200' })
})

test('shows 200 records of a large diff', async () => {
  const lines = Array.from({ length: 1_000 }, (_, at) => `h${at} A 192.0.2.9\r\n`).join('')
  const visible = await compared((text) => text + lines)
  const text = textOf(visible.body)
  expect([text.includes('1,000 records will change.'), text.includes('And 800 more.')]).toEqual([true, true])
  expect(visible.body.match(/>\+ <\/b>/g)).toHaveLength(200)
})
