import { expect, test } from 'vitest'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { soon } from '../wait-for.ts'
import { resellerToken } from '../world.ts'
import { domainsIn, nothing, occurred, problem } from './fixtures.ts'
import { World } from './world.ts'

const [second, minute, hour] = [1000, 60_000, 3_600_000]
const day = 24 * hour

/** A panel in a world of its own, with the unverified account alice; `own` is the server's address. */
async function withWorld() {
  const world = new World()
  const panel = await startPanel({ lookups: world.lookups })
  const alice = await panel.account('alice', { unverified: true })
  const own = alice.ip_address as string
  const mail = async (account: string, name: string): Promise<Json> =>
    (await panel.get(`/accounts/${account}/email/domains`)).body.items.find(({ domain }: Json) => domain === name)
  /** The look after a creation. */
  const looked = async () => {
    await panel.clock.advance(second)
    await panel.settle()
  }
  return { world, panel, alice, own, mail, looked, ...domainsIn(panel, alice.id) }
}

const accountNamed = async (panel: TestPanel, name: string, fields: Record<string, unknown> = {}) =>
  panel.account(name, { unverified: true, ...fields })

test('a name is unverified at first, and says which record verifies it', async () => {
  const { panel, alice, named, mail, looked } = await withWorld()
  await looked()
  const main = await named('alice.example')
  expect(main).toMatchObject({
    verified: false,
    verification: {
      record: {
        name: '_panel-challenge.alice.example',
        type: 'TXT',
        value: expect.stringMatching(/^panel-verify=\w{32}$/),
      },
      reason: expect.stringContaining('alice.example has no public name servers'),
      checked_at: expect.any(Number),
      next_check_at: alice.created_at + minute,
      found: { ns: [], mx: [], addresses: [] },
    },
  })
  expect('verified_by' in main).toBe(false)
  expect(await mail(alice.id, 'alice.example')).toMatchObject({ verified: false, effective_routing: 'remote' })
  expect(await occurred(panel)).toEqual(nothing)
})

test.each([
  ['ns', ['ns shop.example', 'host.example'], ['addresses host.example', 'OWN']],
  ['mx', ['mx shop.example', '10 mail.shop.example', '20 b.example'], ['addresses mail.shop.example', 'OWN']],
  ['address', ['addresses shop.example', 'OWN']],
  ['txt', ['txt _panel-challenge.shop.example', 'VALUE']],
] as const)('%s verifies a name', async (by, ...answers) => {
  const { world, panel, own, ask, path, looked } = await withWorld()
  const made = (await ask('shop.example')).body.domain
  await panel.settle()
  panel.forget()
  const real = { OWN: own, VALUE: made.verification.record.value } as Record<string, string>
  for (const [name, ...answer] of answers) world.set(name as never, ...answer.map((one) => real[one] ?? one))
  await looked()
  expect(await occurred(panel)).toEqual({
    events: ['domain.verified', 'job.completed'],
    jobs: ['domain.verify succeeded'],
  })
  const visible = (await panel.get(`${path}/${made.id}`)).body
  expect(visible).toMatchObject({ verified: true, verified_by: by, verified_at: panel.clock.now() - second })
  expect('verification' in visible).toBe(false)
  const { items } = (await panel.get('/events?type=domain.verified')).body
  expect(items[0].data).toMatchObject({ object: 'domain', object_id: made.id, details: { domain: 'shop.example', by } })
})

test.each([
  ['another server of that name', ['ns shop.example', 'host.example'], ['addresses host.example', '203.0.113.9']],
  [
    'a name server here of another name',
    ['ns shop.example', 'ns.other.example'],
    ['addresses ns.other.example', 'OWN'],
  ],
  [
    'a mail server that is not the lowest',
    ['mx shop.example', '1 a.example', '2 b.example'],
    ['addresses b.example', 'OWN'],
  ],
  ['one address of two', ['addresses shop.example', 'OWN', '203.0.113.9']],
  ['another value', ['txt _panel-challenge.shop.example', `panel-verify=${'0'.repeat(32)}`]],
  [
    '1,000 name servers',
    ['ns shop.example', ...Array(999).fill('a.example'), 'host.example'],
    ['addresses host.example', 'OWN'],
  ],
] as const)('does not verify a name with %s', async (_, ...answers) => {
  const { world, panel, own, named, ask, looked } = await withWorld()
  await ask('shop.example')
  await panel.settle()
  panel.forget()
  for (const [name, ...answer] of answers) world.set(name as never, ...answer.map((one) => (one === 'OWN' ? own : one)))
  await looked()
  expect((await named('shop.example')).verified).toBe(false)
  expect(await occurred(panel)).toEqual(nothing)
})

test('verifies nothing with a silent resolver, and delays nothing', async () => {
  const { world, panel, named, path, looked } = await withWorld()
  world.isSilent = true
  await looked()
  await panel.clock.advance(5 * second)
  const { id, verification } = await named('alice.example')
  expect(verification.reason).toContain('No name server answered')
  expect((await panel.post(`${path}/${id}/verify`)).status).toBe(202)
  expect((await panel.post(path, { name: 'shop.example' })).status).toBe(202)
  const statuses = async () =>
    (await panel.get('/jobs?order=desc&per_page=2')).body.items.map(({ kind, status }: Json) => `${kind} ${status}`)
  await soon(async () => expect(await statuses()).toEqual(['domain.create succeeded', 'domain.verify running']))
  await panel.clock.advance(4 * second)
  expect((await statuses())[1]).toBe('domain.verify running')
  await panel.clock.advance(second)
  await panel.settle()
  expect((await panel.get('/jobs?kind=domain.verify')).body.items[0].status).toBe('succeeded')
})

test('names are looked at after 1, 5, 15 and 60 minutes, hourly, daily, then weekly', async () => {
  const { panel, alice, named } = await withWorld()
  const start = alice.created_at
  const next = async (at: number) => {
    await panel.clock.leap(at - panel.clock.now())
    return (await named('alice.example')).verification.next_check_at - start
  }
  expect(await next(start + second)).toBe(minute)
  expect(await next(start + minute)).toBe(5 * minute)
  expect(await next(start + 5 * minute)).toBe(15 * minute)
  expect(await next(start + 15 * minute)).toBe(60 * minute)
  expect(await next(start + 60 * minute)).toBe(2 * hour)
  expect(await next(start + 7 * day)).toBe(8 * day)
  expect(await next(start + 90 * day)).toBe(97 * day)
})

test('verifyDomain looks now, and its job says what was found', async () => {
  const { world, panel, own, named, path, looked } = await withWorld()
  await looked()
  const { id } = await named('alice.example')
  world.set('mx alice.example', '0 mail.elsewhere.example')
  const first = (await panel.post(`${path}/${id}/verify`)).body
  expect((await panel.post(`${path}/${id}/verify`)).body.job_id).toBe(first.job_id)
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['domain.verify succeeded'] })
  const { log, job } = (await panel.get(`/jobs/${first.job_id}`)).body
  expect(log.map(({ message }: Json) => message)).toContain('Mail servers: 0 mail.elsewhere.example')
  expect(job.max_attempts).toBe(1)
  world.set('addresses alice.example', own)
  expect((await panel.post(`${path}/${id}/verify`)).status).toBe(202)
  expect(await occurred(panel)).toEqual({
    events: ['domain.verified', 'job.completed'],
    jobs: ['domain.verify succeeded'],
  })
  const before = world.requests
  expect((await panel.post(`${path}/${id}/verify`)).body.domain.verified_by).toBe('address')
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['domain.verify succeeded'] })
  expect(world.requests).toBe(before)
})

test('root alone says that a name is verified, and no creation takes it', async () => {
  const { panel, alice, named, path, mail, ask } = await withWorld()
  const sub = (await ask('blog.alice.example')).body.domain
  await panel.settle()
  panel.forget()
  const { id } = await named('alice.example')
  const at = `${path}/${id}/verified`
  const rita = await accountNamed(panel, 'rita', { make_reseller: true })
  const tokens = [
    await panel.token(['accounts:write', 'packages:write']),
    await panel.token(['full-access'], { account: alice.id }),
    await resellerToken(panel, rita.id, ['all']),
  ]
  for (const token of tokens) expect((await panel.put(at, { verified: true }, { token })).status).toBeOneOf([403, 404])
  expect(problem(await panel.put(at, { verified: true }, { token: tokens[0]! }))).toEqual([403, 'token-scope'])
  for (const body of [{ name: 'x.example', verified: true }])
    expect(problem(await panel.post(path, body))).toEqual([400, 'validation', 'verified'])
  const made = { username: 'eve', domain: 'eve.example', verified: true }
  expect(problem(await panel.post('/accounts', made))).toEqual([400, 'validation', 'verified'])
  expect(problem(await panel.patch(`/accounts/${alice.id}`, { verified: true }))).toEqual([
    400,
    'validation',
    'verified',
  ])
  expect(problem(await panel.put(`${path}/${sub.id}/verified`, { verified: true }))).toEqual([
    400,
    'validation',
    'verified',
  ])
  panel.forget()
  const token = await panel.token(['server:write'])
  expect((await panel.put(at, { verified: true }, { token })).body.domain).toMatchObject({ verified_by: 'root' })
  expect(await occurred(panel)).toEqual({
    events: ['domain.verified', 'job.completed'],
    jobs: ['domain.verify succeeded'],
  })
  expect((await named('blog.alice.example')).verified_by).toBe('parent')
  expect(await mail(alice.id, 'alice.example')).toMatchObject({ verified: true, effective_routing: 'local' })
  expect((await panel.get(`${path}?verified=true`)).body.total).toBe(2)
  expect((await panel.get(`/domains?verified=false`)).body.items.map(({ name }: Json) => name)).toEqual([
    'rita.example',
  ])
  expect((await panel.put(at, { verified: false })).body.domain.verified).toBe(false)
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['domain.verify succeeded'] })
  expect((await mail(alice.id, 'alice.example')).effective_routing).toBe('remote')
})

test('only root adds reserved names, and its own are unverified too', async () => {
  const { panel, alice, ask, named } = await withWorld()
  const token = await panel.token(['full-access'], { account: alice.id })
  expect((await panel.patch('/settings', { reserved_domains: ['bank.example'] })).status).toBe(200)
  for (const name of [
    'gmail.com',
    'x.gmail.com',
    'outlook.de',
    'yahoo.co.uk',
    '2.0.192.in-addr.arpa',
    'www2.bank.example',
  ])
    expect(problem(await ask(name, {}, { token })), name).toEqual([400, 'validation', 'name'])
  const rita = await accountNamed(panel, 'rita', { make_reseller: true })
  const reseller = await resellerToken(panel, rita.id, ['all'])
  expect(problem(await panel.post('/accounts', { username: 'eve', domain: 'gmx.net' }, { token: reseller }))).toEqual([
    400,
    'validation',
    'domain',
  ])
  expect((await panel.get('/accounts-check?domain=gmail.com', { token: reseller })).body.domain).toEqual({
    available: false,
    reason: 'reserved',
  })
  expect((await ask('gmail.com')).status).toBe(202)
  expect((await named('gmail.com')).verified).toBe(false)
  for (const name of ['Bank.example', 'a b', '']) {
    const reply = await panel.patch('/settings', { reserved_domains: [name] })
    expect([reply.status, name]).toEqual([400, name])
  }
})

test('an account holds 20 unverified names, subdomains not counted', async () => {
  const { panel, alice, ask } = await withWorld()
  const token = await panel.token(['full-access'], { account: alice.id })
  for (let n = 1; n < 20; n++) expect((await ask(`n${n}.example`, {}, { token })).status).toBe(202)
  expect(problem(await ask('n20.example', {}, { token }))).toEqual([409, 'too-many'])
  expect(problem(await ask('n20.example', { kind: 'parked' }, { token }))).toEqual([409, 'too-many'])
  expect((await ask('sub.n1.example', {}, { token })).status).toBe(202)
  await panel.verify(alice.id)
  expect((await ask('n20.example', {}, { token })).status).toBe(202)
})

test('a proof that is gone for 14 days is a notice, and after 30 the name is unverified again', async () => {
  const { world, panel, alice, own, named, looked, mail } = await withWorld()
  world.set('addresses alice.example', own)
  await looked()
  expect((await named('alice.example')).verified_by).toBe('address')
  world.remove('addresses alice.example')
  const after = async (ms: number) => {
    await panel.clock.leap(ms)
    await panel.clock.advance(minute)
  }
  world.set('ns alice.example', 'ns.elsewhere.example')
  const notices = async () =>
    (await panel.get(`/accounts/${alice.id}/notices`)).body.items.map(({ kind }: Json) => kind)
  await after(7 * day)
  await after(13 * day)
  expect([(await named('alice.example')).verified, await notices()]).toEqual([true, []])
  await after(2 * day)
  expect([(await named('alice.example')).verified, await notices()]).toEqual([true, ['domain-unproven']])
  await after(16 * day)
  await panel.settle()
  expect((await named('alice.example')).verified).toBe(false)
  expect((await mail(alice.id, 'alice.example')).effective_routing).toBe('remote')
})

test('a notice comes a day after the creation, with a mailbox at once', async () => {
  const { panel, alice, looked } = await withWorld()
  await looked()
  const notices = async () => (await panel.get(`/accounts/${alice.id}/notices`)).body.items
  await panel.clock.advance(hour)
  expect(await notices()).toEqual([])
  const body = { address: 'info@alice.example', password: 'correct horse battery' }
  expect((await panel.post(`/accounts/${alice.id}/email/accounts`, body)).status).toBe(202)
  expect(await notices()).toMatchObject([
    { kind: 'domain-unproven', severity: 'warn', object: 'domain', name: 'alice.example', operation: 'verifyDomain' },
  ])
  const bob = await accountNamed(panel, 'bob')
  await panel.clock.leap(day)
  await panel.clock.advance(minute)
  expect((await panel.get(`/accounts/${bob.id}/notices`)).body.items).toHaveLength(1)
})

test('a name that an account lost by termination is verified by its record on other name servers alone', async () => {
  const { world, panel, alice, own, looked } = await withWorld()
  world.set('ns alice.example', 'host.example')
  world.set('addresses host.example', own)
  await looked()
  await panel.delete(`/accounts/${alice.id}?confirm=alice`)
  await panel.settle()
  const bob = await accountNamed(panel, 'bob', { domain: 'alice.example' })
  await looked()
  const of = domainsIn(panel, bob.id)
  const { verified, verification } = await of.named('alice.example')
  expect([verified, verification.reason]).toEqual([false, expect.stringContaining('Another account had alice.example')])
  const asks = async () => {
    await panel.clock.advance(hour)
    await panel.settle()
    return (await of.named('alice.example')).verified_by
  }
  world.set('txt _panel-challenge.alice.example', verification.record.value)
  expect(await asks(), "bob's own zone answers").toBeUndefined()
  world.set('ns alice.example', 'ns.vanity.example')
  world.set('addresses ns.vanity.example', own)
  expect(await asks(), 'under another name').toBeUndefined()
  world.set('ns alice.example', 'ns.elsewhere.example', 'ns.vanity.example')
  world.set('addresses ns.elsewhere.example', '203.0.113.9')
  expect(await asks(), 'one of two').toBeUndefined()
  world.set('ns alice.example', 'ns.elsewhere.example')
  expect(await asks()).toBe('txt')
  world.set('ns alice.example', 'ns.vanity.example')
  world.set('mx alice.example', '5 ns.vanity.example')
  world.remove('txt _panel-challenge.alice.example')
  await panel.clock.leap(40 * day)
  expect(await asks(), 'once verified, other evidence counts, too').toBe('mx')
})

test('applies the same to a name below one that another account lost', async () => {
  const { world, panel, alice, own, looked } = await withWorld()
  await panel.delete(`/accounts/${alice.id}?confirm=alice`)
  await panel.settle()
  world.set('ns shop.alice.example', 'host.example')
  world.set('addresses host.example', own)
  const bob = await accountNamed(panel, 'bob', { domain: 'shop.alice.example' })
  await looked()
  expect((await domainsIn(panel, bob.id).named('shop.alice.example')).verified).toBe(false)
  expect(await occurred(panel)).toEqual(nothing)
})

test('a domain whose deletion failed is no longer looked at', async () => {
  const { world, panel, ask, looked } = await withWorld()
  const { id } = (await ask('shop.example')).body.domain
  await panel.settle()
  await looked()
  await panel.store.change(() =>
    panel.store.sqlite.prepare("UPDATE domains SET status = 'deleting' WHERE id = ?").run(id),
  )
  panel.forget()
  await panel.clock.advance(minute)
  world.names.clear()
  await panel.clock.advance(5 * minute)
  expect([...world.names]).toEqual(['alice.example'])
  expect(await occurred(panel)).toEqual(nothing)
})

test('a new main domain begins unverified; a rename changes nothing', async () => {
  const { panel, alice, named } = await withWorld()
  await panel.verify(alice.id)
  await panel.patch(`/accounts/${alice.id}`, { username: 'alicia' })
  await panel.settle()
  expect((await named('alice.example')).verified).toBe(true)
  await panel.patch(`/accounts/${alice.id}`, { domain: 'alicia.example' })
  await panel.settle()
  expect((await named('alicia.example')).verified).toBe(false)
})

test('routing follows the public mail servers where the zone is served elsewhere', async () => {
  const { world, panel, alice, own, mail, looked } = await withWorld()
  world.set('ns alice.example', 'ns.elsewhere.example')
  world.set('mx alice.example', '5 mail.alice.example')
  world.set('addresses mail.alice.example', own)
  await looked()
  expect((await mail(alice.id, 'alice.example')).effective_routing).toBe('local')
  world.set('mx alice.example', '5 mx.elsewhere.example', '10 mail.alice.example')
  world.set('addresses mx.elsewhere.example', '203.0.113.9')
  await panel.clock.advance(hour)
  await panel.settle()
  expect((await mail(alice.id, 'alice.example')).effective_routing).toBe('backup')
  world.isSilent = true
  await panel.clock.advance(hour + 5 * second)
  expect((await mail(alice.id, 'alice.example')).effective_routing).toBe('backup')
})
