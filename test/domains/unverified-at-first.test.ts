import { expect, onTestFinished, test } from 'vitest'
import { backup } from '../../src/areas/domains/backup.ts'
import { withHome } from '../backups/fixtures.ts'
import { type Json, startPanel } from '../harness.ts'
import { withAuthority } from '../ssl/authority.ts'
import { hasPebble, Pebble } from '../ssl/pebble.ts'
import { startFront } from '../whm/front.ts'
import { domainsIn, host, nothing, occurred } from './fixtures.ts'
import { World } from './world.ts'

test('marks names that a backup restores as unverified, in a new account and in its own', async () => {
  const world = new World()
  const { panel, alice, made } = await withHome({ lookups: world.lookups })
  const of = domainsIn(panel, alice.id)
  const shop = await of.domain('shop.example')
  await panel.verify(alice.id)
  const { id } = await made({ parts: ['config'] })
  await panel.delete(`/accounts/${alice.id}/domains/${shop.id}`)
  await panel.settle()
  panel.forget()
  expect((await panel.post(`/accounts/${alice.id}/backups/${id}/restore`, {})).status).toBe(202)
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['backup.restore succeeded'] })
  expect([(await of.named('alice.example')).verified, (await of.named('shop.example')).verified]).toEqual([true, false])
  await panel.delete(`/accounts/${alice.id}?confirm=alice`)
  await panel.settle()
  const { account } = (await panel.post(`/backups/${id}/restore`, { username: 'anna', domain: 'anna.example' })).body
  await panel.settle()
  const { items } = (await panel.get(`/accounts/${account.id}/domains`)).body
  expect(items.map(({ name, verified }: Json) => [name, verified]).sort()).toEqual([
    ['anna.example', false],
    ['shop.example', false],
  ])
  world.names.clear()
  await panel.clock.advance(1000)
  expect([...world.names].sort()).toEqual(['anna.example', 'shop.example'])
})

test('a backup that says that its names are verified proves nothing', async () => {
  const { panel, alice, made } = await withHome()
  await domainsIn(panel, alice.id).domain('shop.example')
  const proof = { verified: true, verified_by: 'root', verified_at: 1 }
  const { save } = backup
  onTestFinished(() => void Object.assign(backup, { save }))
  const forge: typeof save = (...input) => {
    const saved = save(...input)
    const { domains } = saved.data as { domains: object[] }
    return { ...saved, data: { domains: domains.map((one) => ({ ...one, ...proof })) } }
  }
  Object.assign(backup, { save: forge })
  const { id } = await made({ parts: ['config'] })
  await panel.delete(`/accounts/${alice.id}?confirm=alice`)
  await panel.settle()
  const { account } = (await panel.post(`/backups/${id}/restore`, { username: 'anna', domain: 'anna.example' })).body
  await panel.settle()
  const { items } = (await panel.get(`/accounts/${account.id}/domains?verified=false`)).body
  expect(items.map(({ name }: Json) => name).sort()).toEqual(['anna.example', 'shop.example'])
})

test("needs no additional field in WHM's createacct: the site is served, and its name is checked", async () => {
  const front = await startFront()
  const { panel } = front
  await front.ok('createacct', { username: 'bob', domain: 'bob.example' })
  expect(await occurred(panel)).toEqual({
    events: ['account.created', 'job.completed'],
    jobs: ['account.create succeeded'],
  })
  expect(host(panel).has('etc/panel/nginx/sites/bob.example.conf')).toBe(true)
  const [bob] = (await panel.get('/accounts?q=bob')).body.items
  await panel.clock.advance(1000)
  const { verified, verification } = await domainsIn(panel, bob.id).named('bob.example')
  expect([verified, verification.checked_at]).toEqual([false, expect.any(Number)])
})

test('verifies nothing when a look-up fails, and looks again on time', async () => {
  const fail = () => Promise.reject(Object.assign(new Error('queryNs ESERVFAIL'), { code: 'ESERVFAIL' }))
  const panel = await startPanel({ lookups: { txt: fail, ns: fail, mx: fail, addresses: fail } })
  const alice = await panel.account('alice', { unverified: true })
  await panel.clock.advance(1000)
  expect(await domainsIn(panel, alice.id).named('alice.example')).toMatchObject({
    verified: false,
    verification: {
      reason: expect.stringContaining('No name server answered'),
      next_check_at: alice.created_at + 60_000,
    },
  })
  expect(await occurred(panel)).toEqual(nothing)
})

test.skipIf(!hasPebble)("the panel's own certificate order verifies a name", async () => {
  const pebble = await Pebble.start()
  try {
    const { panel, alice, issue, ended } = await withAuthority(pebble)
    await panel.store.change(() =>
      panel.store.sqlite.prepare('UPDATE domain_verifications SET verified_by = NULL, verified_at = NULL').run(),
    )
    panel.forget()
    expect((await issue()).status).toBe(202)
    const { events, jobs } = await ended()
    expect([[...events].sort(), [...jobs].sort()]).toEqual([
      ['domain.verified', 'job.completed', 'job.completed', 'ssl.installed'],
      ['domain.verify succeeded', 'ssl.issue succeeded'],
    ])
    expect((await domainsIn(panel, alice.id).named('shop.example')).verified_by).toBe('certificate')
  } finally {
    await pebble.stop()
  }
})
