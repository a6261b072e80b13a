import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { startUpgrade } from '../../src/areas/domains/verification/upgrade.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { domainsIn, nothing, occurred } from './fixtures.ts'
import { World } from './world.ts'

const [second, minute] = [1000, 60_000]
const day = 24 * 60 * minute

/** As a panel that did not verify names has left the store. */
function forgetVerifications(sqlite: Database.Database): void {
  sqlite.exec('DELETE FROM domain_verifications')
  sqlite.exec(`
    INSERT INTO domain_verifications (domain_id, account_id, verified_by, verified_at, challenge_only, reason, found)
    SELECT id, account_id, 'upgrade', 0, 0, '', '{"ns":[],"mx":[],"addresses":[]}' FROM domains WHERE kind <> 'sub'`)
}

/** Starts the panel again with a store from before names were verified. */
async function upgrade(panel: TestPanel): Promise<void> {
  panel.forget()
  await panel.panel.stop()
  panel.store.close()
  const sqlite = new Database(join(panel.dir, 'panel.db'))
  forgetVerifications(sqlite)
  sqlite.close()
  await panel.start()
}

async function withOldNames() {
  const world = new World()
  const panel = await startPanel({ lookups: world.lookups })
  const alice = await panel.account('alice')
  const of = domainsIn(panel, alice.id)
  for (const name of ['shop.example', 'blog.alice.example', 'gmail.com']) await of.domain(name)
  const notices = async () =>
    (await panel.get(`/accounts/${alice.id}/notices`)).body.items
      .filter(({ kind }: Json) => kind === 'domain-unproven')
      .map(({ name }: Json) => name)
      .sort()
  const routing = async (name: string) =>
    (await panel.get(`/accounts/${alice.id}/email/domains`)).body.items.find(({ domain }: Json) => domain === name)
      .effective_routing
  return { world, panel, alice, notices, routing, own: alice.ip_address as string, ...of }
}

test('names from before are verified by the upgrade, and take what their DNS shows within a day', async () => {
  const { world, panel, own, named, notices, routing } = await withOldNames()
  world.set('addresses alice.example', own)
  await upgrade(panel)
  const start = panel.clock.now()
  for (const name of ['alice.example', 'shop.example'])
    expect(await named(name)).toMatchObject({ verified: true, verified_by: 'upgrade', verified_at: start })
  expect((await named('blog.alice.example')).verified_by).toBe('parent')
  expect(await routing('shop.example')).toBe('local')
  expect(await named('gmail.com')).toMatchObject({
    verified: false,
    verification: { reason: 'gmail.com is reserved, and has not been looked at yet.' },
  })
  expect(await routing('gmail.com')).toBe('remote')
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['domain.verify succeeded'] })
  await panel.clock.leap(day)
  await panel.clock.advance(second)
  await panel.settle()
  expect(panel.events().filter((type) => type.startsWith('domain.'))).toEqual([])
  expect(await named('alice.example')).toMatchObject({ verified_by: 'address', verified_at: start })
  expect((await named('shop.example')).verified_by).toBe('upgrade')
  expect(await notices()).toEqual(['gmail.com', 'shop.example'])
})

test('a name that shows nothing for 30 days is unverified then', async () => {
  const { panel, named, notices, routing } = await withOldNames()
  await upgrade(panel)
  await panel.settle()
  for (let n = 0; n < 29; n++) {
    await panel.clock.leap(day)
    await panel.clock.advance(second)
  }
  expect((await named('shop.example')).verified_by).toBe('upgrade')
  await panel.settle()
  panel.forget()
  for (let n = 0; n < 2; n++) {
    await panel.clock.leap(day)
    await panel.clock.advance(second)
  }
  await panel.settle()
  expect(panel.jobs().filter((job) => job.startsWith('domain.'))).toEqual(Array(2).fill('domain.verify succeeded'))
  expect([(await named('shop.example')).verified, await routing('shop.example')]).toEqual([false, 'remote'])
  expect(await notices()).toEqual(['alice.example', 'gmail.com', 'shop.example'])
})

/** Further addon domains, as copies of one there is. */
function addCopies(sqlite: Database.Database, count: number): void {
  const row = sqlite.prepare("SELECT * FROM domains WHERE name = 'shop.example'").get() as Record<string, unknown>
  const columns = Object.keys(row)
  const add = sqlite.prepare(
    `INSERT INTO domains (${columns.join(', ')}) VALUES (${columns.map((one) => `@${one}`).join(', ')})`,
  )
  sqlite.transaction(() => {
    for (let n = 0; n < count; n++) {
      const id = `01KF${String(n).padStart(22, '0')}`
      add.run({ ...row, id, name: `n${n}.example`, reversed: `example.n${n}.`, document_root: `sites/n${n}.example` })
    }
  })()
}

test('20,000 names are upgraded in one short change; their looks are spread over a day', async () => {
  const panel = await startPanel()
  const alice = await panel.account('alice')
  await domainsIn(panel, alice.id).domain('shop.example')
  await panel.store.change(() => {
    addCopies(panel.store.sqlite, 20_000)
    forgetVerifications(panel.store.sqlite)
  })
  const before = performance.now()
  await startUpgrade(panel.panel.runtime)
  const took = performance.now() - before
  expect(took).toBeLessThan(5000)
  const start = panel.clock.now()
  const rows = panel.store.sqlite
    .prepare(
      `SELECT count(*) AS total, min(next_check_at) AS first, max(next_check_at) AS last, count(DISTINCT next_check_at) AS times
       FROM domain_verifications WHERE verified_by = 'upgrade'`,
    )
    .get()
  expect(rows).toEqual({ total: 20_002, first: start, last: expect.any(Number), times: 20_002 })
  expect((rows as { last: number }).last).toBeLessThan(start + day)
})

test('25 names that are due are looked at in three seconds', async () => {
  const world = new World()
  const panel = await startPanel({ lookups: world.lookups })
  const alice = await panel.account('alice', { unverified: true })
  const { domain } = domainsIn(panel, alice.id)
  for (let n = 1; n < 25; n++) await domain(`n${n}.example`)
  await panel.settle()
  await panel.clock.advance(minute)
  await panel.store.change(() =>
    panel.store.sqlite.prepare('UPDATE domain_verifications SET next_check_at = ?').run(panel.clock.now() + minute),
  )
  panel.forget()
  world.names.clear()
  await panel.clock.leap(2 * minute)
  const paces: number[] = []
  for (let n = 0; n < 4; n++) {
    paces.push(world.names.size)
    world.names.clear()
    await panel.clock.advance(second)
  }
  expect(paces).toEqual([10, 10, 5, 0])
  expect(await occurred(panel)).toEqual(nothing)
})
