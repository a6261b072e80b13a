import { gzipSync } from 'node:zlib'
import { beforeEach, expect, test, vi } from 'vitest'
import { packing } from '../../src/web/http/responses.ts'
import type { Json, Reply, TestPanel } from '../harness.ts'
import { formIn, textOf, type Visitor } from './visitor.ts'
import { withZone, type Zone } from './zone.ts'

const page = '/user/dns/alice.example'

let panel: TestPanel
let visitor: Visitor
let zone: Zone

beforeEach(async () => {
  ;({ panel, visitor, zone } = await withZone())
})

const op = 'changeDnsRecords'
const press = (from: Reply, _stage: string, typed: Record<string, string> = {}): Promise<Reply> =>
  visitor.submit(from, op, { ...typed, _stage })

const exported = async (): Promise<string> =>
  (await panel.get(`${zone.zone}/export`)).body.zone_file.replace(/\b20\d{8}\b/g, 'SERIAL')

/** A page with one record to add, one to change and one to delete. */
async function staged(): Promise<Reply> {
  const [www, mail] = [await zone.find('www', 'A'), await zone.find('_dmarc', 'TXT')]
  const one = await press(await visitor.get(page), 'add', {
    '_add.type': 'TXT',
    '_add.name': '_acme-test',
    '_add.value': 'check=7f3a19c2',
    '_add.ttl': '300',
  })
  expect([one.status, textOf(one.body).includes('1 change, not saved yet: 1 new')]).toEqual([200, true])
  const editing = await press(one, `edit:${www.id}`)
  expect(textOf(editing.body)).toContain('It is automatic: once changed it is yours')
  const two = await press(editing, 'change', { '_edit.value': '192.0.2.77' })
  return press(two, `delete:${mail.id}`)
}

const changes = (): unknown[] =>
  panel.store.sqlite.prepare(`SELECT operation FROM audit WHERE operation = '${op}'`).pluck().all()

test('new, changed and deleted records are saved together, with one serial, and undone byte for byte', async () => {
  await panel.settle()
  const [before, { serial }] = [await exported(), await zone.show()]
  const previous = panel.events().length
  const all = await staged()
  expect(textOf(all.body)).toContain('3 changes, not saved yet: 1 new 1 changed 1 deleted')
  expect(all.body).toMatch(/<del><bdi[^>]*>192\.0\.2\.2<\/bdi><\/del>/)
  expect(textOf(all.body)).toMatch(
    /panel dns change alice\.example --delete [0-9A-Z]{26} --serial \d+ --data @changes\.json/,
  )
  expect((await zone.show()).serial).toBe(serial)
  const saved = await visitor.submit(all, op)
  expect((await zone.show()).serial).toBe(serial + 1)
  expect(changes()).toHaveLength(1)
  await panel.settle()
  expect(panel.events().slice(previous)).toEqual([
    'dns.record.deleted',
    'dns.record.updated',
    'dns.record.created',
    'job.completed',
  ])
  expect(await zone.find('www', 'A')).toMatchObject({ value: '192.0.2.77', managed: false })
  const done = await visitor.follow(saved)
  expect(textOf(done.body)).toContain('Zone saved.')
  const undone = await visitor.submit(done, op)
  expect([undone.status, await exported()]).toEqual([303, before])
  expect((await zone.show()).serial).toBe(serial + 2)
})

test('a concurrent change is kept, and so are the staged ones, with the conflict marked', async () => {
  const all = await staged()
  const www: Json = await zone.find('www', 'A')
  await panel.patch(`${zone.zone}/records/${www.id}`, { ttl: 600, value: '192.0.2.88' })
  const { serial } = await zone.show()
  const refused = await visitor.submit(all, op)
  expect(refused.status).toBe(409)
  const text = textOf(refused.body)
  expect(text).toContain('3 changes, not saved yet: 1 new 1 changed 1 deleted')
  expect(text.match(/Conflict: someone else changed or deleted it/g)).toHaveLength(1)
  expect(text).toMatch(/changed: www A 192\.0\.2\.88 192\.0\.2\.77 Conflict/)
  expect(await zone.find('www', 'A')).toMatchObject({ value: '192.0.2.88', ttl: 600 })
  const saved = await visitor.submit(refused, op)
  expect([saved.status, (await zone.show()).serial]).toEqual([303, serial + 1])
  expect(await zone.find('www', 'A')).toMatchObject({ value: '192.0.2.77', ttl: 600 })
})

test('a record deleted by another is marked too, and saving continues without it', async () => {
  const all = await staged()
  const www: Json = await zone.find('www', 'A')
  await panel.delete(`${zone.zone}/records/${www.id}`)
  const refused = await visitor.submit(all, op)
  expect([refused.status, textOf(refused.body).includes('Conflict: someone else changed')]).toEqual([400, true])
  expect((await visitor.submit(await press(refused, `undo:${www.id}`), op)).status).toBe(303)
  expect(await zone.find('_acme-test', 'TXT')).toMatchObject({ value: 'check=7f3a19c2' })
})

/** Deletes many records of an outdated zone, and counts what was read for it. */
async function stagedLate(count: number): Promise<{ reply: Reply; reads: number }> {
  const { fields } = formIn((await visitor.get(page)).body, op)
  const ids = Array.from({ length: count }, (_, at) => String(at).padStart(26, '0'))
  for (const [name, value] of Object.entries({ serial: '1', _stage: 'keep', delete: ids.join(' ') }))
    fields.set(name, value)
  const get = vi.spyOn(Object.getPrototypeOf(panel.store.sqlite.prepare('SELECT 1')), 'get')
  const reply = await visitor.post(page, fields)
  const reads = get.mock.calls.length
  get.mockRestore()
  return { reply, reads }
}

test('reads 200 of many changes to an outdated zone again, and refuses far too many', async () => {
  const [some, more, many] = [await stagedLate(200), await stagedLate(600), await stagedLate(5_000)]
  expect([some.reply.status, more.reply.status, more.reads]).toEqual([200, 200, some.reads])
  expect(textOf(more.reply.body)).toContain('600 changes, not saved yet')
  expect([many.reply.status, many.reads < some.reads / 2]).toEqual([400, true])
  expect(textOf(many.reply.body)).toContain('delete: name at most 500 records in all')
})

test('no undo is offered after another change, or to visitors who follow a link', async () => {
  const saved = await visitor.submit(await staged(), op)
  const address = saved.headers.get('location')!
  expect((await visitor.follow(saved)).body).toContain('id="undo"')
  expect((await visitor.get(address)).body).not.toContain('id="undo"')
  await zone.add('later', 'A', '192.0.2.9')
  expect((await visitor.follow(saved)).body).not.toContain('id="undo"')
})

test('a type asks for its own fields, and errors are next to their record', async () => {
  const requests = await press(await visitor.get(page), 'add', {
    '_add.type': 'SRV',
    '_add.name': '_x._tcp',
    '_add.value': 'h',
  })
  expect([...formIn(requests.body, op).fields.keys()].filter((name) => name.startsWith('_add.'))).toEqual(
    expect.arrayContaining(['_add.priority', '_add.weight', '_add.port']),
  )
  const full = await press(requests, 'add', { '_add.port': 'none' })
  const refused = await visitor.submit(full, op)
  expect([refused.status, textOf(refused.body).includes('1 change, not saved yet')]).toEqual([400, true])
  expect(refused.body).toMatch(/<td data-label="Value">(?:(?!<\/td>).)*<p class="error">/s)
})

test('Save keeps what was typed but not added yet, and saves it with the next press', async () => {
  const typed = await visitor.submit(await visitor.get(page), op, { '_add.name': 'shop', '_add.value': '192.0.2.9' })
  expect([typed.status, textOf(typed.body).includes('Save 1 change')]).toEqual([200, true])
  expect((await visitor.submit(typed, op)).status).toBe(303)
  expect(await zone.find('shop', 'A')).toMatchObject({ value: '192.0.2.9' })
})

test("filters and pages keep unsaved changes, and the command's file includes them", async () => {
  const narrowed = await press(await staged(), 'keep', { '_show.q': 'imaps' })
  const text = textOf(narrowed.body)
  expect([
    text.includes('3 changes, not saved yet'),
    text.includes('_imaps._tcp'),
    text.includes('_submissions'),
  ]).toEqual([true, true, false])
  const [, href] = /href="([^"]*say=data[^"]*)"/.exec(narrowed.body)!
  const file = await visitor.get(href!.replaceAll('&amp;', '&'))
  const body = typeof file.body === 'string' ? JSON.parse(file.body) : file.body
  expect(body).toMatchObject({
    update: [{ value: '192.0.2.77' }],
    create: [{ ttl: 300 }],
  })
  expect((await visitor.submit(narrowed, op)).status).toBe(303)
})

test('hostile values are shown as text, staged or stored', async () => {
  const value = '"><img src=x onerror=alert(1)></script>'
  const one = await press(await visitor.get(page), 'add', { '_add.type': 'TXT', '_add.name': 'h', '_add.value': value })
  expect([one.body.includes('<img'), textOf(one.body).includes('onerror')]).toEqual([false, true])
  await visitor.submit(one, op)
  expect((await visitor.get(page)).body).not.toContain('<img')
})

test('shows 200 of 10,000 records in a page of 14 kB, and queries the store for filters', {
  timeout: 60_000,
}, async () => {
  const lines = Array.from({ length: 9_900 }, (_, at) => `h${at} ${at % 9 === 0 ? `TXT "t${at}"` : 'A 192.0.2.9'}`)
  for (let at = 0; at < lines.length; at += 2_000)
    expect((await zone.load(`${lines.slice(at, at + 2_000).join('\n')}\n`, { mode: 'merge' })).status).toBe(202)
  const visible = await visitor.get(page)
  expect(visible.body.match(/value="edit:/g)).toHaveLength(200)
  const size = gzipSync(visible.body, packing).length
  expect([size <= 14_000, size]).toEqual([true, size])
  expect(textOf(visible.body)).toContain('1–200 of 9,911')
  expect(textOf((await visitor.get(`${page}?page=51`)).body)).toContain('Nothing matches. Previous')
  expect((await visitor.get(`${page}?per_page=500`)).body.match(/value="edit:/g)).toHaveLength(200)
  expect((await visitor.get(`${page}?q=t9891&type=TXT`)).body.match(/value="edit:/g)).toHaveLength(1)
  expect((await visitor.get(`${page}?managed=true`)).body.match(/value="edit:/g)).toHaveLength(11)
})

test('DNSSEC can be enabled when it is off, and disabled when it is on', async () => {
  const settings = `${page}/settings`
  const offers = async () => textOf((await visitor.get(settings)).body).match(/Turn DNSSEC (on|off)/g)
  expect(await offers()).toEqual(['Turn DNSSEC on'])
  await visitor.submit(await visitor.get(settings), 'enableDnssec')
  expect(await offers()).toEqual(['Turn DNSSEC off'])
  await visitor.submit(await visitor.get(`${settings}?do=disableDnssec`), 'disableDnssec')
  expect(await offers()).toEqual(['Turn DNSSEC on'])
})

/** The address of a preset on the form of a new record. */
async function presetOf(label: string): Promise<string> {
  const { body } = await visitor.get(`${page}/new`)
  const [, href] = new RegExp(`<a href="([^"]+)"[^>]*>${label}</a>`).exec(body)!
  return href!.replaceAll('&amp;', '&')
}

const ofMail = async (): Promise<string[]> =>
  (await exported())
    .split('\n')
    .filter((line) => /\s(MX|CNAME)\s|v=spf1/.test(line))
    .map((line) => line.replace(/\s+/g, ' '))

test.each([
  ['Mail at Google', ['@ IN MX 1 smtp.google.com.', 'include:_spf.google.com ~all']],
  [
    'Mail at Microsoft 365',
    [
      '@ IN MX 0 alice-example.mail.protection.outlook.com.',
      'include:spf.protection.outlook.com ~all',
      'autodiscover IN CNAME autodiscover.outlook.com.',
    ],
  ],
])('a preset stages the records of %s, which are saved in one change', async (label, required) => {
  await panel.settle()
  const [before, { serial }] = [await exported(), await zone.show()]
  const form = await visitor.get(await presetOf(label))
  expect(textOf(form.body)).toMatch(/changes, not saved yet: \d new 1 changed [13] deleted/)
  expect(await exported()).toBe(before)
  const saved = await visitor.submit(form, op)
  expect([saved.status, (await zone.show()).serial]).toEqual([303, serial + 1])
  const lines = await ofMail()
  for (const text of required) expect(lines.filter((line) => line.includes(text))).toHaveLength(1)
  expect(lines.filter((line) => line.includes(' MX '))).toHaveLength(1)
  expect(lines.filter((line) => line.includes('v=spf1'))).toHaveLength(1)
  await panel.settle()
  const again = await visitor.get(await presetOf(label))
  expect(textOf(again.body)).not.toContain('not saved yet')
})

test('a preset asks for the record that verifies a site', async () => {
  const form = await visitor.get(await presetOf('Site verification by TXT'))
  expect(textOf(form.body)).toContain('Copy it from the service that verifies the site.')
  expect([...formIn(form.body, 'createDnsRecord').fields]).toEqual(
    expect.arrayContaining([
      ['type', 'TXT'],
      ['name', '@'],
    ]),
  )
  const saved = await visitor.submit(form, 'createDnsRecord', { value: 'google-site-verification=abc' })
  expect(saved.status).toBe(303)
})
