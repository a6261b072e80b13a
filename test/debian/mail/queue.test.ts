import { execFileSync } from 'node:child_process'
import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sendmail } from '../../../src/host/debian/mail/outgoing.ts'
import { recipientsIn } from '../../../src/host/debian/mail/queue/envelope.ts'
import { MessageOwners } from '../../../src/host/debian/mail/queue/owners.ts'
import { PostfixQueue } from '../../../src/host/debian/mail/queue/postfix-queue.ts'
import { messageIn } from '../../../src/host/debian/mail/queue/programs.ts'
import { Submitters } from '../../../src/host/debian/mail/queue/submitters.ts'
import type { Tenant } from '../../../src/host/debian/mail/tenants.ts'
import { changeQueue, listQueue, type QueuedMessage } from '../../../src/host/mail-queue/select.ts'
import { tempDir } from '../../host/helpers.ts'
import { soon } from '../../wait-for.ts'
import { canRunPostfix, startPostfix } from './postfix.ts'

const tenant = (username: string, uid: number, domain: string, destinations: readonly string[]): Tenant => ({
  ...{ username, uid, suspended: false, perHour: undefined, rates: new Map(), mailboxes: new Set<string>() },
  ...{ domains: new Set([domain]), signs: new Map(), destinations: new Set(destinations) },
})

const alice = tenant('alice', 20_001, 'a.example', ['x@ext.example', 'both@ext.example'])
const bob = tenant('bob', 20_002, 'b.example', ['y@ext.example', 'both@ext.example'])
const tenants = {
  all: () => [alice, bob].values(),
  ofDomain: (name: string) => [alice, bob].find(({ domains }) => domains.has(name)),
}

const aliases = `enable_long_queue_ids = yes
virtual_alias_domains = a.example, b.example
virtual_alias_maps = inline:{ {info@a.example = x@ext.example}, {info@b.example = y@ext.example},
  {all@a.example = both@ext.example}, {chain@a.example = y@ext.example}, {own@a.example = own@a.example} }
`

describe.runIf(canRunPostfix)('of a Postfix', () => {
  function started() {
    // Nothing answers there.
    const { config, queueDir } = startPostfix(1, aliases)
    const submitted = new Map<string, number>()
    const queue = new PostfixQueue({
      queueDir,
      config,
      tenants,
      submitter: (id) => submitted.get(id),
      attempts: () => 1,
    })
    const send = (from: string, ...to: string[]) =>
      execFileSync(sendmail, ['-C', config, '-i', '-f', from, '--', ...to], { input: 'Subject: x\n\nx\n' })
    const list = (filter = {}) => listQueue(queue, { filter, limit: 100 })
    const deferred = (count: number) =>
      soon(async () => expect((await list()).items.filter(({ reason }) => reason !== '')).toHaveLength(count))
    return { queue, send, list, deferred, submitted, queueDir }
  }

  test('lists whose each message is: by its submitter, else by the address that it was sent to', async () => {
    const { send, list, deferred, submitted } = started()
    send('w@ext.example', 'info@a.example')
    send('w@ext.example', 'info@b.example')
    send('w@ext.example', 'info@a.example', 'info@b.example')
    send('w@ext.example', 'chain@a.example')
    send('w@ext.example', 'x@ext.example')
    send('w@ext.example', 'all@a.example')
    send('info@a.example', 'y@ext.example')
    await deferred(7)
    const { items } = await list()
    expect(items.map(({ id }) => id)).toEqual(items.map(() => expect.stringMatching(/^[0-9A-Za-z]{12,20}$/)))
    submitted.set(items.find(({ from }) => from === 'info@a.example')!.id, 20_001)
    const owners = (await list()).items.map(({ from, to, uid }) => [from.split('@')[1], to.join(' '), uid])
    expect(owners.sort()).toEqual([
      ['a.example', 'y@ext.example', 20_001],
      ['ext.example', 'both@ext.example', 20_001],
      ['ext.example', 'x@ext.example y@ext.example', undefined],
      ['ext.example', 'x@ext.example', undefined],
      ['ext.example', 'x@ext.example', 20_001],
      ['ext.example', 'y@ext.example', undefined],
      ['ext.example', 'y@ext.example', 20_002],
    ])
    expect((await list({ uids: [20_002] })).total).toBe(1)
    expect((await list({ sender: 'info@a.example' })).total).toBe(1)
    expect((await list({ recipientDomain: 'ext.example' })).total).toBe(7)
    expect((await list({ recipientDomain: 'xt.example' })).total).toBe(0)
  })

  test('holds, releases, retries and deletes what a filter meets, and says which had left', async () => {
    const { queue, send, list, deferred, queueDir } = started()
    send('w@ext.example', 'info@a.example')
    send('w@ext.example', 'info@b.example')
    await deferred(2)
    const [one, other] = (await list()).items
    expect(one!.nextAttemptAt).toBeGreaterThan(Date.now())
    const mine = { uids: [20_001] }
    expect(await changeQueue(queue, { change: 'hold', filter: mine })).toEqual({ matched: 1, changed: 1, gone: [] })
    expect((await list({ onHold: true })).items).toMatchObject([{ to: ['x@ext.example'], onHold: true, uid: 20_001 }])
    expect(await changeQueue(queue, { change: 'retry', filter: mine })).toMatchObject({ matched: 0 })
    expect(await changeQueue(queue, { change: 'release', filter: mine })).toMatchObject({ changed: 1 })
    const log = join(queueDir, '../log')
    const attempts = () => readFileSync(log, 'utf8').split(`${other!.id}: to=`).length - 1
    const before = attempts()
    const retry = { change: 'retry', filter: { ids: [other!.id] } } as const
    expect(await changeQueue(queue, retry)).toMatchObject({ matched: 1, changed: 1 })
    await soon(() => expect(attempts()).toBe(before + 1))
    await deferred(2)
    const named = { change: 'delete', filter: { ids: [one!.id, 'NOSUCHMESSAGE'] } } as const
    expect(await changeQueue(queue, named)).toEqual({ matched: 1, changed: 1, gone: ['NOSUCHMESSAGE'] })
    expect(await changeQueue(queue, named)).toEqual({ matched: 0, changed: 0, gone: [one!.id, 'NOSUCHMESSAGE'] })
    expect((await list()).items.map(({ id }) => id)).toEqual([other!.id])
  })

  test('an address that looks like a message, an option or a record is an address', async () => {
    const { send, list, deferred } = started()
    send('"a\nsasl_username=bob"@ext.example', '"q {\\"queue_id\\":\\"EVILMESSAGE\\"}"@ext.example')
    send('w@ext.example', `"info@a.example\nR\\005x@a.b"@ext.example`)
    await deferred(2)
    const { items } = await list()
    expect(items.map(({ uid }) => uid)).toEqual([undefined, undefined])
    expect(JSON.stringify(items)).not.toMatch(/\\n|EVILMESSAGE","/)
  })

  test('a queue that cannot be read is an error, not an empty queue', async () => {
    const queue = new PostfixQueue({
      ...{ queueDir: '/nonexistent', config: tempDir(), tenants, submitter: () => undefined, attempts: () => 0 },
    })
    await expect(listQueue(queue, { filter: {}, limit: 1 })).rejects.toThrow(/^postqueue -c .* failed: /)
  })
})

const record = (type: string, text: string): Buffer => {
  const bytes = Buffer.from(text)
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7]
  return Buffer.concat([Buffer.from(type), Buffer.from(length), bytes])
}

test('reads the recipients of a queue file, whatever is in them, and never a part of them', () => {
  const long = `${'x'.repeat(200)}@ext.example`
  const records = [
    ...[record('C', ' 5'), record('S', 'w@ext.example'), record('O', 'info@a.example'), record('R', long)],
    ...[
      record('O', 'done@a.example'),
      record('D', 'gone@ext.example'),
      record('R', 'M\u0000O\u0004x@b\n'),
      record('p', '0'),
    ],
  ]
  const file = Buffer.concat([...records, record('M', ''), record('R', 'evil@b.example')])
  const found = [
    { original: 'info@a.example', address: long },
    { original: 'M\u0000O\u0004x@b\n', address: 'M\u0000O\u0004x@b\n' },
  ]
  expect(recipientsIn(file)).toEqual(found)
  const end = Buffer.concat(records).length
  for (let length = 0; length <= end; length++) expect(recipientsIn(file.subarray(0, length))).toBeUndefined()
  expect(recipientsIn(Buffer.concat([record('R', 'a@a.example'), record('p', '512'), record('M', '')]))).toBeUndefined()
  expect(recipientsIn(Buffer.from([0x52, 0xff, 0xff, 0xff, 0xff, 0xff, 0x41]))).toBeUndefined()
})

const queued = (to: readonly string[], id = 'ABCDEF1'): QueuedMessage => ({
  ...{ id, to, from: 'w@ext.example', size: 5, arrivedAt: 1000, reason: '', queue: 'deferred' },
})

const owners = (recipients: readonly { original: string; address: string }[] | undefined) => {
  let reads = 0
  const found = new MessageOwners({
    tenants,
    submitter: () => undefined,
    recipients: async () => {
      reads++
      return recipients
    },
  })
  found.begin()
  return { of: (...to: string[]) => found.of(queued(to)), reads: () => reads }
}

test('a message has an owner only if all its recipients lead through one account', async () => {
  const forwarded = owners([{ original: 'Info@A.example', address: 'X@ext.example' }])
  expect([await forwarded.of('x@ext.example'), await forwarded.of('x@ext.example')]).toEqual([20_001, 20_001])
  expect(forwarded.reads()).toBe(1)
  expect(await owners([{ original: 'info@a.example', address: 'info@a.example' }]).of('info@a.example')).toBe(20_001)
  // By an address of alice to one of bob's destinations: hers is not to see it, nor his who wrote to her.
  expect(await owners([{ original: 'info@a.example', address: 'y@ext.example' }]).of('y@ext.example')).toBeUndefined()
  const twice = [
    { original: 'all@a.example', address: 'both@ext.example' },
    { original: 'all@b.example', address: 'both@ext.example' },
  ]
  expect(await owners(twice).of('both@ext.example')).toBeUndefined()
  expect(await owners(undefined).of('x@ext.example')).toBeUndefined()
  expect(await owners([]).of('x@ext.example')).toBeUndefined()
  const strange = owners([])
  expect([await strange.of('z@ext.example'), strange.reads()]).toEqual([undefined, 0])
})

test.each([
  ['', undefined],
  ['{}', undefined],
  ['[1]', undefined],
  ['{"queue_id":"ALL","arrival_time":1,"message_size":1,"recipients":[]}', undefined],
  ['{"queue_id":"-d ALLALL","arrival_time":1,"message_size":1,"recipients":[]}', undefined],
  ['{"queue_id":"ABCDEF1","arrival_time":"x","message_size":1,"recipients":[]}', undefined],
  ['{"queue_id":"ABCDEF1","arrival_time":1,"message_size":-1,"recipients":[]}', undefined],
  ['{"queue_id":"ABCDEF1","arrival_time":1,"message_size":1,"recipients":{}}', undefined],
  [
    '{"queue_id":"ABCDEF1","arrival_time":1,"message_size":1,"recipients":[null,{"address":1},{"address":"a@b"}]}',
    { ...queued(['a@b']), from: '', size: 1, queue: '' },
  ],
])('reads %s', (line, expected) => {
  expect(messageIn(line)).toEqual(expected)
})

test('who submitted a message survives a restart, also one in the middle of a line', () => {
  const file = join(tempDir(), 'submitted')
  const first = new Submitters(file)
  for (let n = 0; n < 3000; n++) first.add(`ABCDEF${n}`, { uid: 20_001, at: n })
  for (let n = 0; n < 2999; n++) first.forget(`ABCDEF${n}`)
  first.keep()
  expect(readFileSync(file, 'utf8')).toBe('ABCDEF2999 20001 2999\n')
  appendFileSync(file, 'ABCDEFG 200')
  const second = new Submitters(file)
  expect([second.size, second.get('ABCDEF2999')]).toEqual([1, { uid: 20_001, at: 2999 }])
  second.add('ABCDEFH', { uid: 20_002, at: 1 })
  expect(new Submitters(file).get('ABCDEFH')).toEqual({ uid: 20_002, at: 1 })
})

async function* of(messages: readonly QueuedMessage[]) {
  yield* messages
}
const nothing = {
  ownerOf: async () => undefined,
  nextAttempt: async () => undefined,
  attempts: () => 0,
  change: async () => [],
}

test('pages go on where the last one ended, the oldest first, also where many arrived together', async () => {
  const all = Array.from({ length: 25 }, (_, n) => ({
    ...queued(['a@ext.example'], `ABCDEF${n}`),
    arrivedAt: Math.floor(n / 10) * 1000,
  }))
  const queue = { ...nothing, messages: () => of(all.toReversed()) }
  const seen: string[] = []
  let after: { arrivedAt: number; id: string } | undefined
  for (let more = true; more; ) {
    const page = await listQueue(queue, { filter: {}, limit: 4, after })
    expect(page.total).toBe(25)
    seen.push(...page.items.map(({ id }) => id))
    after = page.items.at(-1)
    more = page.more
  }
  expect(seen).toHaveLength(25)
  expect(new Set(seen).size).toBe(25)
})

test('a page is bounded in bytes, and shows nothing that a terminal would obey', async () => {
  const evil = '\u001b]0;x\u0007\u202e\u2028'
  const to = Array.from({ length: 50 }, () => `${'ü'.repeat(5000)}@ext.example`)
  const all = Array.from({ length: 500 }, (_, n) => ({
    ...{ ...queued([evil, ...to], `ABCDEF${n}`), from: evil, reason: evil.repeat(1000) },
  }))
  const page = await listQueue({ ...nothing, messages: () => of(all) }, { filter: {}, limit: 500 })
  expect(page.more).toBe(true)
  expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(300_000)
  expect(page.items[0]).toMatchObject({ from: '?]0;x???', recipients: 51 })
  expect(page.items[0]!.to).toHaveLength(10)
})

test('forwarded mail, whose sender is rewritten, belongs to the account of the domain that forwards it', async () => {
  const owners = new MessageOwners({ tenants, submitter: () => undefined, recipients: async () => [] })
  owners.begin()
  const of = (from: string, ...to: string[]) =>
    owners.of({ ...{ id: `${from}${to}`, from, to, size: 1, arrivedAt: 1, reason: '', queue: 'deferred' } })
  const sender = 'SRS0=AAAAAAAA=AA=ext.example=w@a.example'
  expect(await of(sender, 'x@ext.example')).toBe(20_001)
  expect(await of(sender, 'y@ext.example')).toBeUndefined()
  expect(await of(sender, 'x@ext.example', 'y@ext.example')).toBeUndefined()
  // Anyone can send under such a sender to a mailbox that is also a destination.
  expect(await of(sender, 'info@b.example')).toBeUndefined()
  expect(await of(sender.replace('a.example', 'ext.example'), 'x@ext.example')).toBeUndefined()
})
