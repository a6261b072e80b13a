import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { type HostDriver, HostError, type ServedZones } from '../../src/host/contract/driver.ts'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { zoneOf } from '../dns/fixtures.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { find, lose, second } from './second.ts'

const bind = (root: string, path: string): string => join(root, 'etc/bind/panel', path)
const listOf = (root: string, { id }: Json): string => bind(root, `zones.d/_elsewhere_${id}`)
const idOf = async (panel: TestPanel, name: string): Promise<string> =>
  (await panel.get('/nodes')).body.items.find((node: Json) => node.name === name).id

/** Runs what waits after a failure. */
async function allAttempts(panel: TestPanel): Promise<void> {
  for (const ms of [1_000, 4_000]) {
    await panel.clock.advance(ms)
    await panel.settle()
  }
}

/** A driver, and the number of accounts whose zones each command sent. */
function counting() {
  const received: number[] = []
  const make = (root: string): HostDriver => {
    const driver = createDirectoryDriver({ root })
    const serve = driver.serveZones.bind(driver)
    vi.spyOn(driver, 'serveZones').mockImplementation(({ served }) => {
      received.push(served.length)
      return serve({ served })
    })
    return driver
  }
  return { received, make }
}

test('a node with the role dns serves the zones of all other nodes, and none after losing it', async () => {
  const panel = await startPanel()
  const alice = await panel.account('alice')
  const { root, host } = await second(panel, { name: 'ns2', roles: ['dns'] })
  expect(existsSync(listOf(root, alice))).toBe(false)
  const id = await idOf(panel, 'ns2')
  panel.forget()
  await panel.patch(`/nodes/${id}`, { labels: ['x'] })
  await panel.settle()
  expect(panel.jobs()).toEqual(['dns.served.apply succeeded'])
  panel.forget()
  const { add } = await zoneOf(panel, alice.id, 'alice.example')
  await add('one', 'TXT', 'first')
  await panel.settle()
  expect(panel.jobs()).toEqual(['dns.zone.update succeeded', 'dns.served.apply succeeded'])
  expect(readFileSync(bind(root, 'zones/alice.example.zone'), 'utf8')).toContain('one IN TXT "first"')
  lose(panel, 'ns2')
  expect((await add('two', 'TXT', 'second')).status).toBe(202)
  await panel.settle()
  expect(panel.jobs()).toEqual(['dns.zone.update succeeded', 'dns.served.apply queued'])
  find(panel, 'ns2', host)
  await panel.settle()
  expect(readFileSync(bind(root, 'zones/alice.example.zone'), 'utf8')).toContain('two IN TXT "second"')
  await panel.patch(`/nodes/${id}`, { roles: ['web'] })
  await panel.settle()
  expect([existsSync(listOf(root, alice)), existsSync(bind(root, 'zones/alice.example.zone'))]).toEqual([false, false])
  await panel.patch(`/nodes/${id}`, { roles: ['dns'] })
  await panel.settle()
  expect(existsSync(listOf(root, alice))).toBe(true)
  await panel.delete(`/accounts/${alice.id}?confirm=alice&final_backup=false`)
  await panel.settle()
  expect(existsSync(listOf(root, alice))).toBe(false)
})

test('zones that a name server refuses do not affect others, and are retried with the next change', async () => {
  let driver!: HostDriver
  const panel = await startPanel({ driver: (root) => (driver = createDirectoryDriver({ root })) })
  await second(panel, { name: 'web2' })
  const serve = driver.serveZones.bind(driver)
  const refused = (served: readonly ServedZones[]) =>
    served.some(({ zones }) => zones.some(({ name }) => name === 'bob.example'))
  const spied = vi.spyOn(driver, 'serveZones').mockImplementation(async ({ served }) => {
    if (refused(served)) throw new HostError('precheck', 'named-checkzone refused it.')
    return serve({ served })
  })
  const bob = await panel.account('bob', { node: 'web2' })
  const ann = await panel.account('ann', { node: 'web2' })
  await allAttempts(panel)
  const root = join(panel.dir, 'host')
  expect([existsSync(listOf(root, bob)), existsSync(listOf(root, ann))]).toEqual([false, true])
  const { items } = (await panel.get('/jobs?kind=dns.served.apply&status=failed')).body
  const { job, log } = (await panel.get(`/jobs/${items[0].id}`)).body
  expect(job.error).toMatch(/^The zones of 1 of \d accounts could not be updated on local; the log names them\.$/)
  expect(log.map(({ message }: Json) => message)).toContain('bob.example: named-checkzone refused it.')
  spied.mockImplementation(serve)
  await panel.account('eve', { node: 'web2' })
  expect(existsSync(listOf(root, bob))).toBe(true)
})

test('a zone that changes while the last attempt to send others fails is sent next', async () => {
  let driver!: HostDriver
  const panel = await startPanel({ driver: (root) => (driver = createDirectoryDriver({ root })) })
  await second(panel, { name: 'web2' })
  const serve = driver.serveZones.bind(driver)
  const ann = await panel.account('ann', { node: 'web2' })
  const { add } = await zoneOf(panel, ann.id, 'ann.example')
  const lastAttempt = panel.store.sqlite.prepare(
    "SELECT 1 FROM jobs WHERE kind = 'dns.served.apply' AND status = 'running' AND attempts = max_attempts",
  )
  let changed = false
  vi.spyOn(driver, 'serveZones').mockImplementation(async ({ served }) => {
    if (!served.some(({ zones }) => zones.some(({ name }) => name === 'bob.example'))) return serve({ served })
    if (!changed && lastAttempt.get()) {
      changed = true
      expect((await add('late', 'TXT', 'late')).status).toBe(202)
    }
    throw new HostError('precheck', 'named-checkzone refused it.')
  })
  const bob = await panel.account('bob', { node: 'web2' })
  await allAttempts(panel)
  const root = join(panel.dir, 'host')
  expect([changed, existsSync(listOf(root, bob))]).toEqual([true, false])
  expect(readFileSync(bind(root, 'zones/ann.example.zone'), 'utf8')).toContain('late IN TXT "late"')
  expect(panel.store.sqlite.prepare('SELECT account_id, sign(due) AS due FROM dns_served ORDER BY due').all()).toEqual([
    { account_id: bob.id, due: -1 },
    { account_id: ann.id, due: 0 },
  ])
})

test('zones are sent 500 accounts at a time, and again only for accounts that changed', {
  timeout: 60_000,
}, async () => {
  const { received, make } = counting()
  const panel = await startPanel({ driver: make })
  await second(panel, { name: 'web2' })
  await panel.account('bob', { node: 'web2' })
  const columnsOf = (table: string) =>
    (panel.store.sqlite.pragma(`table_info(${table})`) as Json[]).map(({ name }) => name).join()
  const copies = (table: string, sets: string) => `
    CREATE TEMP TABLE one AS SELECT ${columnsOf(table)} FROM ${table};
    CREATE TEMP TABLE made AS WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1100)
      SELECT n, one.* FROM n, one;
    UPDATE made SET id = '02J' || printf('%023d', n), ${sets};
    ALTER TABLE made DROP COLUMN n;
    INSERT INTO ${table} (${columnsOf(table)}) SELECT * FROM made;
    DROP TABLE one; DROP TABLE made;`
  const its = "'02J' || printf('%023d', n)"
  await panel.store.change(
    () =>
      void panel.store.sqlite.exec(
        copies(
          'accounts',
          "username = 'bob' || n, main_domain = 'z' || n || '.example', uid = 30000 + n, db_prefix = 'bob' || n",
        ) +
          copies('domains', `account_id = ${its}, name = 'z' || n || '.example', reversed = 'z' || n`) +
          copies('dns_zones', `account_id = ${its}, domain_id = ${its}, name = 'z' || n || '.example'`),
      ),
  )
  received.length = 0
  panel.forget()
  await panel.account('ann', { node: 'local' })
  expect(received).toEqual([500, 500, 100])
  const zones = join(panel.dir, 'host/etc/bind/panel/zones/z1100.example.zone')
  expect(existsSync(zones)).toBe(true)
  received.length = 0
  await panel.store.change(
    () =>
      void panel.store.sqlite.exec(
        "UPDATE dns_zones SET serial = serial + 1 WHERE name IN ('z1.example', 'z2.example')",
      ),
  )
  await panel.account('eve', { node: 'local' })
  expect(received).toEqual([2])
})

test('after a restore, name servers drop the zones of accounts that only another node knows', async () => {
  const panel = await startPanel()
  const { root } = await second(panel, { name: 'ns2', roles: ['dns'] })
  const alice = await panel.account('alice')
  const bob = await panel.account('bob')
  await panel.store.change(
    () =>
      void panel.store.sqlite.exec(`
        DELETE FROM dns_zones WHERE account_id = '${bob.id}';
        DELETE FROM accounts WHERE id = '${bob.id}';
        DELETE FROM dns_served WHERE account_id = '${bob.id}';
        INSERT OR REPLACE INTO settings VALUES ('epoch', '7');`),
  )
  expect([existsSync(listOf(root, alice)), existsSync(listOf(root, bob))]).toEqual([true, true])
  expect((await panel.post('/host/apply')).status).toBe(202)
  await panel.settle()
  expect([existsSync(listOf(root, alice)), existsSync(listOf(root, bob))]).toEqual([true, false])
  expect(existsSync(bind(root, 'zones/bob.example.zone'))).toBe(false)
})

test('a node that joins again on another machine gets all zones', async () => {
  const panel = await startPanel()
  const { root } = await second(panel, { name: 'ns2', roles: ['dns'], fingerprint: 'a'.repeat(64) })
  const alice = await panel.account('alice')
  expect(existsSync(listOf(root, alice))).toBe(true)
  const due = () => panel.store.sqlite.prepare("SELECT due FROM dns_served WHERE node = 'ns2'").pluck().all()
  expect(due()).toEqual([0])
  await panel.store.change(
    () => void panel.store.sqlite.exec(`UPDATE nodes SET fingerprint = '${'b'.repeat(64)}' WHERE name = 'ns2'`),
  )
  expect(due()).toEqual([1])
})

test("the zones of other nodes' accounts are compared on each name server, for all and for one account", async () => {
  const panel = await startPanel()
  const { root } = await second(panel, { name: 'ns2', roles: ['dns'] })
  await second(panel, { name: 'web2' })
  const alice = await panel.account('alice', { node: 'local' })
  const bob = await panel.account('bob', { node: 'web2' })
  const differing = async (query = '') =>
    (await panel.get(`/host/diff${query}`)).body.differences.map(({ node = 'local', username, path, change }: Json) =>
      [node, username, path, change].join(' '),
    )
  expect(await differing()).toEqual([])
  const zone = 'etc/bind/panel/zones/bob.example.zone'
  writeFileSync(join(panel.dir, 'host', zone), 'changed by hand')
  rmSync(join(root, zone))
  rmSync(bind(root, 'zones/alice.example.zone'))
  const onLocal = `local bob /${zone} changed`
  const onNs2 = [`ns2 alice /etc/bind/panel/zones/alice.example.zone missing`, `ns2 bob /${zone} missing`]
  expect((await differing()).sort()).toEqual([onLocal, ...onNs2])
  expect(await differing('?node=local')).toEqual([onLocal])
  expect((await differing('?node=ns2')).sort()).toEqual(onNs2)
  expect(await differing('?node=web2')).toEqual([])
  expect(await differing(`?account_id=${bob.id}`)).toEqual([onLocal, onNs2[1]])
  expect(await differing(`?account_id=${alice.id}`)).toEqual([onNs2[0]])
  expect((await panel.get(`/host/diff?account_id=${alice.id}`)).body.diff).toContain('+++ /etc/bind/panel/zones/alice')
  lose(panel, 'ns2')
  expect(await differing(`?account_id=${bob.id}`)).toEqual([onLocal, 'ns2  / fault'])
  await panel.post('/host/apply', { node: 'local' })
  await panel.settle()
  expect(await differing('?node=local')).toEqual([])
})
