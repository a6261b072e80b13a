import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bare,
  cycleThrough,
  type ForwardRoute,
  finalsOf,
  MAX_DESTINATIONS,
  type Routes,
} from '../../src/areas/email/routes.ts'
import { dataSchema } from '../../src/contract/events.ts'
import { accepted, nothing, occurred, problem, withMail } from './fixtures.ts'

/** What every domain has. */
const roles = ['abuse', 'hostmaster', 'postmaster'].map((role) => `${role}@alice.example alice@alice.example`)

test('a forwarder is created by a job, changed and deleted', async () => {
  const { panel, alice, forward, path, map, mailbox } = await withMail()
  await mailbox('info@alice.example')
  const all = ['Bob@Ext.example', 'INFO@Alice.example', 'Bob@ext.example']
  const { forwarder } = accepted(await forward('Sales@alice.example', all))
  expect(forwarder).toEqual({
    id: forwarder.id,
    address: 'sales@alice.example',
    domain: 'alice.example',
    destinations: ['Bob@ext.example', 'info@alice.example'],
    keep_copy: true,
    status: 'creating',
    created_at: forwarder.created_at,
  })
  expect(await occurred(panel)).toEqual({
    events: ['email.forwarder.created', 'job.completed'],
    jobs: ['email.forwarder.create succeeded'],
  })
  const at = `${path}/forwarders/${forwarder.id}`
  expect((await panel.get(at)).body).toEqual({ ...forwarder, status: 'active' })
  expect(map('aliases')).toContain('sales@alice.example Bob@ext.example,info@alice.example')
  expect(map('senders')).toContain('sales@alice.example info@alice.example')
  expect(problem(await forward('sales@alice.example', ['x@ext.example']))).toEqual([409, 'exists', 'address'])
  expect(accepted(await panel.patch(at, { destinations: ['x@ext.example'] })).forwarder.destinations).toEqual([
    'x@ext.example',
  ])
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['email.forwarder.update succeeded'] })
  expect(accepted(await panel.delete(at)).forwarder.status).toBe('deleting')
  expect(await occurred(panel)).toEqual({
    events: ['email.forwarder.deleted', 'job.completed'],
    jobs: ['email.forwarder.delete succeeded'],
  })
  expect(map('aliases')).toEqual(roles)
  const { items } = (await panel.get(`/accounts/${alice.id}/events?type=email.*`)).body
  for (const { type, data } of items) dataSchema(type).parse(data)
  expect(items.map(({ type }: { type: string }) => type)).toEqual([
    'email.account.created',
    'email.forwarder.created',
    'email.forwarder.deleted',
  ])
})

test('an invalid address and an invalid destination are reported together', async () => {
  const { panel, forward } = await withMail()
  const refused = await forward('a b@alice.example', ['bob@ext.example', 'root'])
  expect(problem(refused)).toEqual([400, 'validation', 'address', 'destinations'])
  expect(refused.body.fields.destinations).toBe('item 2: must be an email address such as bob@shop.example, or discard')
  expect(await occurred(panel)).toEqual(nothing)
})

test("neither a mailbox nor a forwarder that is a catch-all's destination can be deleted", async () => {
  const { panel, path, mailbox, forwarder } = await withMail()
  const info = await mailbox('info@alice.example')
  const copy = await forwarder('info@alice.example', ['copy@ext.example'])
  const { id } = (await panel.get(`${path}/domains`)).body.items[0]
  const set = (body: object) => panel.put(`${path}/domains/${id}/catch-all`, body)
  accepted(await set({ action: 'forward', destination: 'info@alice.example' }))
  await occurred(panel)
  for (const at of [info.path, copy.path]) expect(problem(await panel.delete(at))).toEqual([409, 'in-use'])
  expect(await occurred(panel)).toEqual(nothing)
  accepted(await set({ action: 'reject' }))
  for (const at of [copy.path, info.path]) accepted(await panel.delete(at))
})

test.each([
  '|/bin/sh',
  '"|id"@x.example',
  '/etc/passwd',
  ':include:/x',
  'root',
  'root@host.example',
  'x@localhost',
  'x@[127.0.0.1]',
  'x@127.0.0.1',
  'a@x.example,b@y.example',
  'a@x.example\nb c',
  `${'a'.repeat(65)}@x.example`,
  // A rewritten sender of its own domain.
  'SRS0=AAAAAAAA=AA=ext.example=w@alice.example',
  '',
])('refuses to forward to %j', async (destination) => {
  const { panel, forward } = await withMail()
  const reply = await forward('sales@alice.example', ['bob@ext.example', destination])
  expect(problem(reply)).toEqual([400, 'validation', 'destinations'])
  expect(await occurred(panel)).toEqual(nothing)
})

test('loops are refused, and the error shows the path', async () => {
  const { panel, forward, forwarder, mailbox } = await withMail()
  const refused = async (address: string, destinations: string[], fields: object = {}) => {
    const reply = await forward(address, destinations, fields)
    expect(problem(reply)).toEqual([400, 'validation', 'destinations'])
    return reply.body.fields.destinations
  }
  expect(await refused('a@alice.example', ['A+tag@alice.example'])).toContain('itself')
  await mailbox('b@alice.example')
  await forwarder('a@alice.example', ['b@alice.example'])
  expect(await refused('b@alice.example', ['a+x@alice.example'])).toContain(
    'b@alice.example → a@alice.example → b@alice.example',
  )
  const c = await forwarder('c@alice.example', ['x@ext.example'])
  await forwarder('b@alice.example', ['c@alice.example'])
  const reply = await panel.patch(c.path, { destinations: ['a@alice.example'] })
  expect(problem(reply)).toEqual([400, 'validation', 'destinations'])
  expect(reply.body.fields.destinations).toContain('c@alice.example → a@alice.example → b@alice.example → c@alice')
})

test('mailboxes that keep a copy may forward to each other: each gets one', async () => {
  const { panel, forward, forwarder, mailbox, map } = await withMail()
  for (const name of ['a', 'b', 'c']) await mailbox(`${name}@alice.example`)
  await forwarder('a@alice.example', ['b@alice.example'])
  const b = await forwarder('b@alice.example', ['a@alice.example', 'c@alice.example'])
  await forwarder('c@alice.example', ['a@alice.example'])
  expect(map('aliases')).toEqual(
    expect.arrayContaining([
      'a@alice.example a@alice.example,b@alice.example',
      'b@alice.example b@alice.example,a@alice.example,c@alice.example',
    ]),
  )
  expect(problem(await panel.patch(b.path, { keep_copy: false }))).toEqual([400, 'validation', 'destinations'])
  expect(problem(await forward('c@alice.example', ['b@alice.example']))).toEqual([409, 'exists', 'address'])
})

test('an address is forwarded to at most 100, however many steps it takes', async () => {
  const { forward, forwarder } = await withMail()
  for (const n of [1, 2, 3, 4, 5])
    await forwarder(
      `list${n}@alice.example`,
      Array.from({ length: 20 }, (_, at) => `u${n}-${at}@ext.example`),
    )
  const lists = [1, 2, 3, 4, 5].map((n) => `list${n}@alice.example`)
  expect(problem(await forward('all@alice.example', [...lists, 'one@more.example']))).toEqual([
    400,
    'validation',
    'destinations',
  ])
  accepted(await forward('all@alice.example', lists))
})

test('a catch-all needs an existing destination, mailboxes get a row each, and neither can be deleted', async () => {
  const { panel, alice, path, map, mailbox, forwarder } = await withMail()
  const info = await mailbox('info@alice.example')
  const [{ id }] = (await panel.get(`${path}/domains`)).body.items
  const set = (body: object) => panel.put(`${path}/domains/${id}/catch-all`, body)
  for (const body of [
    { action: 'forward', destination: 'x@ext.example' },
    { action: 'forward', destination: 'nobody@alice.example' },
    { action: 'reject', destination: 'info@alice.example' },
    { action: 'forward' },
  ])
    expect(problem(await set(body))).toEqual([400, 'validation', 'destination'])
  expect(await occurred(panel)).toEqual(nothing)
  expect(accepted(await set({ action: 'forward', destination: 'INFO@alice.example' })).domain.catch_all).toEqual({
    action: 'forward',
    destination: 'info@alice.example',
  })
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['email.domain.update succeeded'] })
  expect(map('aliases')).toEqual([
    'abuse@alice.example alice@alice.example',
    'alice@alice.example alice@alice.example',
    'hostmaster@alice.example alice@alice.example',
    'info@alice.example info@alice.example',
    'postmaster@alice.example alice@alice.example',
    '@alice.example info@alice.example',
  ])
  expect(problem(await panel.delete(info.path))).toEqual([409, 'in-use'])
  const sales = await forwarder('sales@alice.example', ['x@ext.example'])
  expect(problem(await panel.patch(sales.path, { destinations: ['nobody@alice.example'] }))[0]).toBe(202)
  await mailbox('team@alice.example')
  await forwarder('hub@alice.example', ['team@alice.example'])
  accepted(await set({ action: 'forward', destination: 'hub@alice.example' }))
  await occurred(panel)
  const team = (await panel.get(`${path}/accounts?q=team`)).body.items[0]
  const refused = await panel.delete(`${path}/accounts/${team.id}`)
  expect(problem(refused)).toEqual([409, 'in-use'])
  expect(refused.body.detail).toContain('team@alice.example → hub@alice.example → team@alice.example')
  accepted(await panel.delete(info.path))
  accepted(await set({ action: 'reject' }))
  await panel.settle()
  accepted(await panel.delete(`${path}/accounts/${team.id}`))
  expect(alice.main_domain).toBe('alice.example')
})

test('postmaster mail is delivered, unless a mailbox has that name', async () => {
  const { panel, map, mailbox } = await withMail({}, { contact_email: 'owner@ext.example' })
  const others = ['abuse@alice.example owner@ext.example', 'hostmaster@alice.example owner@ext.example']
  expect(map('aliases')).toEqual([...others, 'postmaster@alice.example owner@ext.example'])
  const box = await mailbox('postmaster@alice.example')
  expect(map('aliases')).toEqual(others)
  accepted(await panel.delete(box.path))
  await panel.settle()
  expect(map('aliases')).toEqual([...others, 'postmaster@alice.example owner@ext.example'])
})

test('a deleted forwarder names those that lead to it', async () => {
  const { panel, forward, forwarder, map } = await withMail()
  const team = await forwarder('team@alice.example', ['x@ext.example'])
  accepted(await forward('sales@alice.example', ['Team+tag@alice.example', 'y@ext.example']))
  accepted(await forward('other@alice.example', ['z@ext.example']))
  await panel.settle()
  const { forwarders } = accepted(await panel.delete(team.path))
  expect(forwarders).toMatchObject([{ address: 'sales@alice.example' }])
  await panel.settle()
  expect(map('aliases')).toContain('sales@alice.example y@ext.example')
})

test('refuses a missing address of the account as a destination, unless it was one before', async () => {
  const { panel, forward, forwarder, mailbox, path, map } = await withMail()
  const refused = await forward('dead@alice.example', ['x@ext.example', 'nosuch@alice.example', 'no@alice.example'])
  expect(problem(refused)).toEqual([400, 'validation', 'destinations'])
  expect(refused.body.fields.destinations).toBe(
    'nosuch@alice.example, no@alice.example: no mailbox or forwarder has these addresses; create it first',
  )
  expect(await occurred(panel)).toEqual(nothing)
  for (const known of ['postmaster@alice.example', 'alice+tag@alice.example'])
    accepted(await forward(known === 'postmaster@alice.example' ? 'a@alice.example' : 'b@alice.example', [known]))
  await panel.settle()
  const temp = await mailbox('temp@alice.example')
  const office = await forwarder('office@alice.example', ['temp@alice.example'])
  const { forwarders } = accepted(await panel.delete(temp.path))
  expect(forwarders.map(({ address }: { address: string }) => address)).toEqual(['office@alice.example'])
  await panel.settle()
  expect(map('closed')).toEqual(['office@alice.example 550 5.1.1 User unknown'])
  accepted(await panel.patch(office.path, { destinations: ['temp@alice.example', 'x@ext.example'] }))
  await panel.settle()
  expect(map('closed')).toEqual([])
  expect(map('aliases')).toContain('office@alice.example x@ext.example')
  const other = await panel.patch(office.path, { destinations: ['gone@alice.example'] })
  expect(problem(other)).toEqual([400, 'validation', 'destinations'])
  const { id } = (await panel.get(`${path}/domains`)).body.items[0]
  await panel.put(`${path}/domains/${id}/routing`, { routing: 'remote' })
  await panel.settle()
  accepted(await panel.patch(office.path, { destinations: ['gone@alice.example'] }))
})

test('mail may be thrown away, however other panels write it', async () => {
  const { forward, map, panel, path } = await withMail()
  for (const [at, text] of ['discard', ':blackhole:', '/dev/null', 'DISCARD'].entries())
    expect(accepted(await forward(`no${at}@alice.example`, [text])).forwarder.destinations).toEqual(['discard'])
  await panel.settle()
  expect(map('transports').slice(1)).toEqual([0, 1, 2, 3].map((at) => `no${at}@alice.example discard:`))
  const mixed = await forward('sales@alice.example', ['discard', 'x@ext.example'])
  expect(problem(mixed)).toEqual([400, 'validation', 'destinations'])
  for (const text of [':fail:', 'discard@', '/dev/null@x.example', ':include:/x'])
    expect(problem(await forward('sales@alice.example', [text]))).toEqual([400, 'validation', 'destinations'])
  accepted(await forward('via@alice.example', ['no0@alice.example']))
  expect((await panel.get(`${path}/forwarders?q=no`)).body.total).toBe(4)
})

/** The paths of mail, found by following each to its end. */
function model({ forwarders, mailboxes, catchAlls }: Routes, start: string): { finals: Set<string>; circles: boolean } {
  const keeps = (address: string): boolean => mailboxes.has(address) && forwarders.get(address)?.keepCopy === true
  const finals = new Set<string>()
  let circles = false
  const follow = (address: string, path: readonly string[]): void => {
    if (path.includes(address)) {
      if (address === start && !path.every(keeps)) circles = true
      return
    }
    const method = forwarders.get(address)
    const domain = address.split('@')[1]!
    const on =
      method?.destinations ?? (mailboxes.has(address) ? [] : catchAlls.has(domain) ? [catchAlls.get(domain)!] : [])
    if (on.length === 0 || (method?.keepCopy && mailboxes.has(address))) finals.add(address)
    for (const one of on) follow(bare(one), [...path, address])
  }
  follow(start, [])
  return { finals, circles }
}

test('the computed paths of mail equal those found by following each one', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e')
  const address = fc.tuple(name, fc.constantFrom('x.example', 'y.example')).map((parts) => parts.join('@'))
  const tagged = fc.tuple(address, fc.boolean()).map(([one, tag]) => (tag ? one.replace('@', '+t@') : one))
  const path: fc.Arbitrary<ForwardRoute> = fc.record({
    destinations: fc.uniqueArray(tagged, { minLength: 1, maxLength: 3 }),
    keepCopy: fc.boolean(),
  })
  const routes: fc.Arbitrary<Routes> = fc
    .record({
      forwarders: fc.array(fc.tuple(address, path), { maxLength: 6 }),
      mailboxes: fc.array(address, { maxLength: 4 }),
      catchAlls: fc.array(fc.tuple(fc.constantFrom('x.example', 'y.example'), address), { maxLength: 2 }),
    })
    .map(({ forwarders, mailboxes, catchAlls }) => ({
      forwarders: new Map(forwarders),
      mailboxes: new Set(mailboxes),
      catchAlls: new Map(catchAlls),
    }))
  fc.assert(
    fc.property(routes, address, (all, start) => {
      const { finals, circles } = model(all, start)
      const cycle = cycleThrough(all, start)
      if (circles) expect(cycle).toBeDefined()
      if (cycle) {
        expect([cycle[0], cycle.at(-1)]).toEqual([start, start])
        expect(cycle.every((one) => all.mailboxes.has(one) && all.forwarders.get(one)?.keepCopy)).toBe(false)
      }
      expect([...finalsOf(all, start)].sort()).toEqual([...finals].sort())
      expect(finals.size).toBeLessThanOrEqual(MAX_DESTINATIONS)
    }),
    { numRuns: 300 },
  )
})
