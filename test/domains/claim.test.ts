import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Json, startPanel } from '../harness.ts'
import { agentOf } from '../mcp/agent.ts'
import { domainsIn, nothing, occurred, problem } from './fixtures.ts'
import { World } from './world.ts'

/** alice holds victim.example without being verified; bob claims it. */
async function withSquatter() {
  const world = new World()
  const panel = await startPanel({ lookups: world.lookups })
  const alice = await panel.account('alice')
  const bob = await panel.account('bob')
  const inUse = await domainsIn(panel, alice.id).domain('victim.example')
  const claim = (name = 'victim.example') => panel.post(`/accounts/${bob.id}/domains/claim`, { name })
  const record = '_panel-challenge.victim.example'
  return { world, panel, alice, bob, inUse, claim, record, of: (id: string) => domainsIn(panel, id) }
}

test("the claimant's record takes an unverified name, with all that hangs on it", async () => {
  const { world, panel, alice, bob, inUse, claim, record, of } = await withSquatter()
  await of(alice.id).domain('www2.victim.example')
  await of(alice.id).domain('parked.example', { kind: 'parked', parent_id: inUse.id })
  const box = { address: 'info@victim.example', password: 'correct horse battery' }
  await panel.post(`/accounts/${alice.id}/email/accounts`, box)
  await panel.post(`/accounts/${alice.id}/email/forwarders`, {
    address: 'a@victim.example',
    destinations: ['x@y.example'],
  })
  await panel.settle()
  panel.forget()
  const reply = await claim()
  expect([reply.status, reply.body]).toEqual([
    202,
    {
      name: 'victim.example',
      record: { name: record, type: 'TXT', value: expect.stringMatching(/^panel-verify=\w{32}$/) },
      job_id: expect.any(String),
    },
  ])
  world.set(`txt ${record}`, reply.body.record.value)
  const { events, jobs } = await occurred(panel)
  expect(events.filter((type) => !type.startsWith('job.'))).toEqual([
    'dns.record.deleted',
    'domain.deleted',
    'dns.zone.deleted',
    'domain.deleted',
    'dns.zone.deleted',
    'domain.deleted',
  ])
  expect(jobs).toEqual(['domain.claim succeeded', ...Array(3).fill('domain.delete succeeded')])
  expect((await panel.get(`/accounts/${alice.id}/domains`)).body.items.map(({ name }: Json) => name)).toEqual([
    'alice.example',
  ])
  expect((await panel.get(`/accounts/${alice.id}/email/accounts`)).body.total).toBe(0)
  const { items } = (await panel.get(`/accounts/${alice.id}/notices`)).body
  expect(items.map(({ kind, name }: Json) => [kind, name])).toContainEqual(['domain-unproven', 'victim.example'])
  expect(problem(await of(alice.id).ask('victim.example'))).toEqual([409, 'exists', 'name'])
  expect((await of(bob.id).ask('victim.example')).status).toBe(202)
})

test('a verified parked domain stays with its account, and shows its main domain', async () => {
  const { world, panel, alice, inUse, claim, record, of } = await withSquatter()
  const parked = await of(alice.id).domain('own.example', { kind: 'parked', parent_id: inUse.id })
  await panel.put(`/accounts/${alice.id}/domains/${parked.id}/verified`, { verified: true })
  await panel.settle()
  world.set(`txt ${record}`, (await claim()).body.record.value)
  await panel.settle()
  const { id: main } = await of(alice.id).named('alice.example')
  expect(await of(alice.id).named('own.example')).toMatchObject({ status: 'active', verified: true, parent_id: main })
  expect(await of(alice.id).named('victim.example')).toBeUndefined()
})

test('the name is free again an hour later', async () => {
  const { world, panel, alice, claim, record, of } = await withSquatter()
  world.set(`txt ${record}`, (await claim()).body.record.value)
  await panel.settle()
  await panel.clock.leap(3_600_001)
  expect((await of(alice.id).ask('victim.example')).status).toBe(202)
})

test("transfers nothing without the claimant's record, or from a verified domain", async () => {
  const { world, panel, alice, inUse, claim, record, of } = await withSquatter()
  world.set(`txt ${record}`, inUse.verification.record.value)
  expect((await claim()).status).toBe(202)
  expect(await occurred(panel)).toEqual({ events: ['job.failed'], jobs: ['domain.claim failed'] })
  expect((await of(alice.id).named('victim.example')).status).toBe('active')
  await panel.verify(alice.id)
  expect(problem(await claim())).toEqual([409, 'in-use'])
  expect(await occurred(panel)).toEqual(nothing)
})

test('main domains, subdomains, own and unknown names are not claimed', async () => {
  const { panel, alice, bob, claim, of } = await withSquatter()
  await of(alice.id).domain('sub.victim.example')
  await panel.account('eve', { domain: 'eve.example', unverified: true })
  for (const name of ['eve.example', 'sub.victim.example', 'bob.example', 'alice.example'])
    expect(problem(await claim(name)), name).toEqual([409, 'in-use'])
  expect(problem(await claim('nobody.example'))).toEqual([404, 'not-found'])
  expect(problem(await claim('a b'))).toEqual([400, 'validation', 'name'])
  expect(bob.id).not.toBe(alice.id)
})

test("root is told of a claim of another account's main domain, once a day, and no account is", async () => {
  const { panel, alice, bob, claim } = await withSquatter()
  const eve = await panel.account('eve', { domain: 'eve.example', unverified: true })
  const notices = async (path = '/notices') => {
    const { items } = (await panel.get(`${path}?kind=domain-claimed`)).body
    return items.map(({ name, since, detail, account_id }: Json) => [name, since, detail.split(' ')[0], account_id])
  }
  expect(problem(await claim('eve.example'))).toEqual([409, 'in-use'])
  const since = panel.clock.now()
  expect(await notices()).toEqual([['eve.example', since, 'bob', undefined]])
  for (const { id } of [alice, bob, eve]) expect(await notices(`/accounts/${id}/notices`)).toEqual([])
  await panel.clock.advance(3_600_000)
  await claim('eve.example')
  expect(await notices()).toEqual([['eve.example', since, 'bob', undefined]])
  await panel.clock.advance(24 * 3_600_000)
  await claim('eve.example')
  expect(await notices()).toEqual([['eve.example', panel.clock.now(), 'bob', undefined]])
  await panel.put(
    `/accounts/${eve.id}/domains/${(await panel.get(`/accounts/${eve.id}/domains`)).body.items[0].id}/verified`,
    { verified: true },
  )
  await panel.clock.advance(25 * 3_600_000)
  const before = await notices()
  expect(problem(await claim('eve.example'))).toEqual([409, 'in-use'])
  expect(await notices()).toEqual(before)
  // Two days of a clock whose timers run each second.
}, 180_000)

test("an agent's dry run of such a claim reports nothing", async () => {
  const { panel, bob } = await withSquatter()
  await panel.account('eve', { domain: 'eve.example', unverified: true })
  const agent = agentOf(panel, { token: await panel.token(['full-access'], { account: bob.id }), allowChanges: true })
  const refused = await (await agent).call('change', {
    id: 'claimDomain',
    input: { id: bob.id, name: 'eve.example' },
    reason: 'test',
  })
  expect(refused.content.error.code).toBe('in-use')
  expect((await panel.get('/notices?kind=domain-claimed')).body.items).toEqual([])
})

test.each(['x.bank.example', 'www.bank.example'])(
  'an unverified %s does not keep the owner from bank.example',
  async (squatted) => {
    const { world, panel, alice, bob, claim, of } = await withSquatter()
    const { id } = await of(alice.id).domain(squatted)
    await of(alice.id).domain(`sub.${squatted}`)
    await of(alice.id).domain('parked.example', { kind: 'parked', parent_id: id })
    await of(alice.id).domain('own.bank.example.org')
    panel.forget()
    const reply = await claim('bank.example')
    expect(reply.status).toBe(202)
    world.set('txt _panel-challenge.bank.example', reply.body.record.value)
    const { jobs } = await occurred(panel)
    expect(jobs).toEqual(['domain.claim succeeded', ...Array(3).fill('domain.delete succeeded')])
    for (const name of [squatted, 'y.bank.example', 'bank.example'])
      expect(problem(await of(alice.id).ask(name)), name).toEqual([409, 'exists', 'name'])
    expect(await of(alice.id).named('own.bank.example.org')).toBeDefined()
    expect((await of(bob.id).ask('bank.example')).status).toBe(202)
  },
)

test('nothing is taken while a domain below the name is verified or a main domain', async () => {
  const { world, panel, alice, bob, claim, of } = await withSquatter()
  await of(alice.id).domain('x.bank.example')
  const other = await of(alice.id).domain('y.bank.example')
  const { record } = (await claim('bank.example')).body
  world.set(`txt ${record.name}`, record.value)
  await panel.put(`/accounts/${alice.id}/domains/${other.id}/verified`, { verified: true })
  expect((await occurred(panel)).jobs).toEqual(expect.arrayContaining(['domain.claim failed']))
  const refused = await claim('bank.example')
  expect([problem(refused), refused.body.detail]).toEqual([
    [409, 'in-use'],
    'A domain below bank.example is verified by its holder.',
  ])
  expect(await of(alice.id).named('x.bank.example')).toMatchObject({ status: 'active' })
  await panel.account('eve', { domain: 'eve.shop.example', unverified: true })
  expect(problem(await claim('shop.example'))).toEqual([409, 'in-use'])
  expect(problem(await claim('victim.example.org'))).toEqual([404, 'not-found'])
  expect(bob.id).not.toBe(alice.id)
})

test('a repeated claim returns the unfinished job', async () => {
  const { panel, alice, claim, of } = await withSquatter()
  await of(alice.id).domain('other.example')
  const replies = [await claim(), await claim(), await claim('other.example')]
  const ids = replies.map(({ body }) => body.job_id)
  expect([ids[1], new Set(ids).size]).toEqual([ids[0], 2])
  expect((await occurred(panel)).jobs).toEqual(['domain.claim failed', 'domain.claim failed'])
  expect((await claim()).body.job_id).not.toBe(ids[0])
})

test("a file in place of the holder's trash does not keep a claimed domain", async () => {
  const { world, panel, alice, bob, claim, record, of } = await withSquatter()
  await panel.post(`/accounts/${alice.id}/email/accounts`, {
    address: 'info@victim.example',
    password: 'correct horse battery',
  })
  await panel.settle()
  const letter = 'mail/victim.example/info/letter'
  writeFileSync(join(panel.dir, 'host/home/alice', letter), 'secret')
  writeFileSync(join(panel.dir, 'host/home/alice/.trash'), '')
  panel.forget()
  world.set(`txt ${record}`, (await claim()).body.record.value)
  const { jobs } = await occurred(panel)
  expect(jobs).toEqual(['domain.claim succeeded', 'domain.delete succeeded'])
  expect((await panel.get(`/accounts/${alice.id}/email/accounts`)).body.total).toBe(0)
  await of(bob.id).domain('victim.example')
  expect(existsSync(join(panel.dir, 'host/home/alice', letter))).toBe(true)
  expect(existsSync(join(panel.dir, 'host/home/bob', letter))).toBe(false)
})
