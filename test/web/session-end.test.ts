import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { zoneOf } from '../dns/fixtures.ts'
import { type Json, type Reply, startPanel, type TestPanel } from '../harness.ts'
import { formIn, password, textOf, Visitor } from './visitor.ts'

let panel: TestPanel
let visitor: Visitor
let account: string

beforeEach(async () => {
  panel = await startPanel()
  account = (await panel.account('alice', { password })).id
  visitor = await new Visitor(panel).signIn('alice')
})

const end = (): Promise<Reply> => panel.post(`/accounts/${account}/password`, { new_password: password })
const changes = (op: string): number =>
  panel.store.sqlite.prepare('SELECT count(*) FROM audit WHERE operation = ?').pluck().get(op) as number

/** Saves a form after its session has ended: typed again, first signed out, then with an older token. */
async function savedAfterEnd(page: Reply, op: string, typed: Record<string, string>, visible = typed): Promise<Reply> {
  await end()
  const stored = await visitor.submit(page, op, typed)
  expect([stored.status, stored.headers.get('cache-control')]).toEqual([401, 'private, no-cache'])
  expect(stored.headers.get('www-authenticate')).toBe('Bearer')
  expect(textOf(stored.body)).toContain("Sign in in a new tab , or open your provider's link; then press Save here.")
  expect(Object.fromEntries(formIn(stored.body, op).fields)).toMatchObject(typed)
  expect(changes(op)).toBe(0)
  await visitor.signIn('alice')
  const filled = await visitor.submit(stored, op)
  expect([filled.status, textOf(filled.body).includes('Check it and save.')]).toEqual([403, true])
  expect(Object.fromEntries(formIn(filled.body, op).fields)).toMatchObject(visible)
  return visitor.submit(filled, op)
}

describe('form saved after its session ended: 401 with all that was typed, then stored once', () => {
  test('keeps what was typed for a DNS record', async () => {
    const zone = await zoneOf(panel, account, 'alice.example')
    const typed = { name: 'shop', type: 'TXT', value: 'a "quoted" <text>', ttl: '300' }
    const page = await visitor.get('/user/dns/alice.example/new')
    const saved = await savedAfterEnd(page, 'createDnsRecord', typed)
    expect([saved.status, changes('createDnsRecord')]).toEqual([303, 1])
    expect(await zone.find('shop', 'TXT')).toMatchObject({ value: typed.value, ttl: 300 })
  })

  test('keeps changes in the editor of records, and what is typed there', async () => {
    const zone = await zoneOf(panel, account, 'alice.example')
    const page = await visitor.get('/user/dns/alice.example?type=A')
    const typed = { '_add.type': 'A', '_add.name': 'shop', '_add.value': '192.0.2.9' }
    const added = { 'create.0.type': 'A', 'create.0.name': 'shop', 'create.0.value': '192.0.2.9' }
    const saved = await savedAfterEnd(page, 'changeDnsRecords', typed, added)
    expect([saved.status, changes('changeDnsRecords')]).toEqual([303, 1])
    expect(await zone.find('shop', 'A')).toMatchObject({ value: '192.0.2.9' })
  })

  test('keeps a long zone text', async () => {
    await zoneOf(panel, account, 'alice.example')
    const page = '/user/dns/alice.example/text'
    const hosts = (name: string, length: number): string =>
      Array.from({ length }, (_, at) => `${name}${at} 300 IN A 192.0.2.9\r\n`).join('')
    const zone_file = hosts('host', 1_050)
    const compared = await visitor.submit(await visitor.get(page), 'importDnsZone', { zone_file })
    expect((await visitor.submit(compared, 'importDnsZone', { _yes: '1' })).status).toBe(303)
    const visible = await visitor.get(page)
    const text = formIn(visible.body, 'importDnsZone').fields.get('zone_file')!
    expect(Math.floor(text.length / 4_000)).toBe(7)
    await end()
    const typed = { zone_file: text + hosts('more', 300) }
    const stored = await visitor.submit(visible, 'importDnsZone', typed)
    expect([stored.status, Object.fromEntries(formIn(stored.body, 'importDnsZone').fields)]).toMatchObject([401, typed])
  })

  test('keeps what was typed for a cron job', async () => {
    const typed = { schedule: '@daily', command: 'php "a b.php" > /dev/null', comment: 'at night' }
    const saved = await savedAfterEnd(await visitor.get('/user/cron/new'), 'createCronJob', typed)
    expect([saved.status, changes('createCronJob')]).toEqual([303, 1])
    const { items } = (await panel.get(`/accounts/${account}/cron/jobs`)).body
    expect(items.map(({ schedule, command, comment }: Json) => ({ schedule, command, comment }))).toEqual([typed])
  })

  test('keeps what was typed for an autoresponder', async () => {
    await panel.post(`/accounts/${account}/email/accounts`, { address: 'info@alice.example', password })
    await panel.settle()
    const typed = { subject: 'Away', body: '\r\nBack on Monday.\r\n\r\nAlice\r\n' }
    const page = await visitor.get('/user/email/info@alice.example/autoresponder')
    const saved = await savedAfterEnd(page, 'setAutoresponder', typed)
    expect([saved.status, changes('setAutoresponder')]).toEqual([303, 1])
    const { items } = (await panel.get(`/accounts/${account}/email/accounts`)).body
    const { body } = await panel.get(`/accounts/${account}/email/accounts/${items[0].id}/autoresponder`)
    expect(body).toMatchObject({ subject: 'Away', body: '\nBack on Monday.\n\nAlice\n' })
  })

  test.each([
    ['LF', 'one\ntwo\n', 'one\r\ntwo\r\nthree\r\n', 'one\ntwo\nthree\n'],
    ['CRLF', 'one\r\ntwo\r\n', 'one\r\nthree\r\n', 'one\r\nthree\r\n'],
    ['no last newline', 'one\ntwo', 'one\r\nthree', 'one\nthree'],
    ['a first empty line', '\none\n', '\r\nthree\r\n', '\nthree\n'],
  ])('keeps a file in the editor, with exact bytes: %s', async (_, before, text, after) => {
    const file = join(panel.dir, 'host/home/alice/page.html')
    writeFileSync(file, before)
    const saved = await savedAfterEnd(await visitor.get('/user/edit/page.html'), 'writeFile', { text })
    expect([saved.status, readFileSync(file, 'utf8'), changes('writeFile')]).toEqual([303, after, 1])
  })

  test('keeps a file addressed by its bytes, which is still the same one', async () => {
    const odd = Buffer.from([0x66, 0xfc, 0x72])
    const home = Buffer.from(`${join(panel.dir, 'host/home/alice')}/`)
    writeFileSync(Buffer.concat([home, odd]), 'text')
    const path_bytes = odd.toString('base64url')
    const page = await visitor.get(`/user/file/f%EF%BF%BDr?path_bytes=${path_bytes}`)
    const saved = await savedAfterEnd(page, 'chmodFile', { mode: '0600' })
    expect(saved.headers.get('location')).toBe(`/user/file/f%EF%BF%BDr?path_bytes=${path_bytes}&done=chmodFile`)
  })

  test('keeps selected rows, which are still selected', async () => {
    for (const name of ['one', 'two']) writeFileSync(join(panel.dir, 'host/home/alice/tmp', name), name)
    const { fields } = formIn((await visitor.get('/user/files/tmp')).body, 'makeDirectory')
    fields.set('do', 'deleteFile')
    fields.delete('path')
    for (const name of ['one', 'two']) fields.append('_item', Buffer.from(`tmp/${name}`).toString('base64url'))
    fields.set('_yes', '1')
    await end()
    const stored = await visitor.post('/user/files/tmp', fields)
    expect([stored.status, changes('deleteFile')]).toEqual([401, 0])
    await visitor.signIn('alice')
    const requests = await visitor.submit(stored, 'deleteFile')
    expect([requests.status, textOf(requests.body).includes('Check it and save. one two')]).toEqual([403, true])
    expect(textOf((await visitor.submit(requests, 'deleteFile')).body)).toContain('2 done, 0 refused')
  })
})

test('a form with an expired session contains no secret that was typed', async () => {
  const page = await visitor.get('/user/email/new')
  await end()
  const typed = { address: 'info@alice.example', password: 'a canary of a password', _password: 'canary' }
  const stored = await visitor.submit(page, 'createMailbox', typed)
  expect([stored.status, stored.body.includes('info@alice.example'), stored.body.includes('canary')]).toEqual([
    401,
    true,
    false,
  ])
})

test('more than 64 KiB get only the message, which says how to recover the text', async () => {
  writeFileSync(join(panel.dir, 'host/home/alice/page.html'), 'old')
  const page = await visitor.get('/user/edit/page.html')
  await end()
  const stored = await visitor.submit(page, 'writeFile', { text: 'x'.repeat(70_000) })
  expect([stored.status, stored.body.includes('xxxx')]).toEqual([401, false])
  expect(textOf(stored.body)).toContain('open the page again : the text that you typed comes back.')
  expect(stored.body).toContain('href="/user/edit/page.html"')
})

test('many records come back too; more fields than are kept get only the message', async () => {
  await zoneOf(panel, account, 'alice.example')
  const page = await visitor.get('/user/dns/alice.example')
  const { fields } = formIn(page.body, 'changeDnsRecords')
  await end()
  for (let at = 0; at < 300; at++)
    for (const [name, value] of Object.entries({ name: `n${at}`, type: 'A', value: '192.0.2.9' }))
      fields.set(`create.${at}.${name}`, value)
  const stored = await visitor.post('/user/dns/alice.example', fields)
  expect([stored.status, formIn(stored.body, 'changeDnsRecords').fields.get('create.299.name')]).toEqual([401, 'n299'])
  for (let at = 0; at < 2_000; at++) fields.set(`x${at}`, '')
  const refused = await visitor.post('/user/dns/alice.example', fields)
  expect([refused.status, textOf(refused.body).includes('too long to be shown here')]).toEqual([401, true])
})

test('a form with an expired session goes to the page itself, skipping the message of what was done', async () => {
  writeFileSync(join(panel.dir, 'host/home/alice/page.html'), 'old')
  const page = await visitor.get('/user/edit/page.html')
  const { fields } = formIn(page.body, 'writeFile')
  await end()
  const stored = await visitor.post('/user/edit/page.html?q=a+b&done=writeFile&job=1&say=data&undo=x', fields)
  expect([stored.status, formIn(stored.body, 'writeFile').action]).toEqual([401, '/user/edit/page.html?q=a+b'])
})

describe('notice before the end of a session', () => {
  const notice = (page: Reply): string => /<div[^>]*data-session[^>]*>.*?<\/div>/s.exec(page.body)![0]
  const stay = (csrf_token: string) => visitor.post('/user/stay', { csrf_token })

  test('says how long the session lasts, and offers to stay while that is possible', async () => {
    const first = notice(await visitor.get('/user/'))
    expect([/data-left="(\d+)"/.exec(first)![1], first.includes('Stay signed in')]).toEqual(['3600000', true])
    for (let hour = 0; hour < 15; hour++) {
      panel.clock.jump(30 * 60_000)
      await visitor.get('/user/')
    }
    panel.clock.jump(1)
    const last = notice(await visitor.get('/user/'))
    expect([/data-left="(\d+)"/.exec(last)![1], last.includes('Stay signed in')]).toEqual(['1799999', false])
  })

  test('typing extends the session, requests of an open page do not, and eight hours stay the limit', async () => {
    const { fields } = formIn((await visitor.get('/user/cron/new')).body, 'createCronJob')
    const csrf_token = fields.get('csrf_token')!
    panel.clock.jump(50 * 60_000)
    expect(await stay('wrong')).toMatchObject({ status: 403 })
    expect((await visitor.post('/user/stay', { csrf_token }, { Origin: 'https://evil.example' })).status).toBe(403)
    const stored = await stay(csrf_token)
    expect([stored.status, stored.body, stored.headers.get('cache-control')]).toEqual([200, '3600000', 'no-store'])
    panel.clock.jump(50 * 60_000)
    expect((await visitor.get('/user/cron/new?schedule=x&do=createCronJob', { 'X-Part': 'say' })).status).toBe(200)
    panel.clock.jump(11 * 60_000)
    expect((await visitor.get('/user/')).headers.get('location')).toBe('/user/login')
    await visitor.signIn('alice')
    const again = formIn((await visitor.get('/user/cron/new')).body, 'createCronJob').fields.get('csrf_token')!
    for (let at = 0; at < 15; at++) {
      panel.clock.jump(30 * 60_000)
      await stay(again)
    }
    expect((await stay(again)).body).toBe('1800000')
    panel.clock.jump(30 * 60_000)
    expect((await stay(again)).headers.get('location')).toBe('/user/login')
  })
})
