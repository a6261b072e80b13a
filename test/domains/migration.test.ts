import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { migrations as zoneMigrations } from '../../src/areas/dns/migrations/index.ts'
import { migrations } from '../../src/areas/domains/migrations/index.ts'
import { startPanel } from '../harness.ts'

/** Later migrations add to these tables, so they stay, and get the rows of the ones that created them again. */
const rows = [migrations, zoneMigrations].map(([made]) => made!.sql.slice(made!.sql.indexOf('INSERT INTO')))

/** The store as it was before the domains table. */
function withoutDomains(dir: string): void {
  const sqlite = new Database(join(dir, 'panel.db'))
  sqlite.pragma('foreign_keys = OFF')
  for (const table of ['dns_records', 'dns_zones', 'redirects', 'domains']) sqlite.exec(`DELETE FROM ${table}`)
  for (const sql of rows) sqlite.exec(sql)
  sqlite.close()
}

test('accounts from before the domains table get their main domain with its zone, and no event', async () => {
  const panel = await startPanel()
  const alice = await panel.account('alice', { domain: 'a.b.alice.example' })
  await panel.account('bob')
  const before = (await panel.get(`/accounts/${alice.id}/domains`)).body.items
  await panel.panel.stop()
  panel.store.close()
  withoutDomains(panel.dir)
  await panel.start()
  const { items } = (await panel.get(`/accounts/${alice.id}/domains`)).body
  const { certificate: _, verified, verified_by, verified_at, ...made } = before[0]
  const { verification, ...found } = items[0]
  // An existing site keeps its response headers.
  expect([{ ...found, security_headers: true, verified: true }]).toEqual([
    { ...made, verified, id: items[0].id, zone_id: items[0].zone_id },
  ])
  expect(items[0].id.slice(0, 10)).toBe(alice.id.slice(0, 10))
  expect(panel.events()).toEqual([])
  const zone = `/accounts/${alice.id}/dns/zones/${items[0].zone_id}`
  const { serial } = panel.store.sqlite.prepare('SELECT zone_serial AS serial FROM accounts').get() as {
    serial: number
  }
  expect((await panel.get(zone)).body).toMatchObject({
    name: 'a.b.alice.example',
    serial: serial + 1,
    nameservers: ['host.example'],
    record_count: 8,
  })
  const taken = await panel.get('/accounts-check?domain=www.alice.example')
  expect(taken.body.domain.available).toBe(true)
  const above = await panel.post('/accounts', { username: 'carol', domain: 'x.a.b.alice.example' })
  expect(above.body.fields.domain).toContain('a.b.alice.example, which belongs to another account')
  panel.forget()
  await panel.clock.advance(60_000)
  await panel.settle()
  expect(panel.events()).toEqual(['job.completed', 'job.completed'])
  expect(panel.jobs()).toEqual(['account.update succeeded', 'account.update succeeded'])
  const [main] = (await panel.get(`/accounts/${alice.id}/domains`)).body.items
  expect(main.certificate).toMatchObject({ kind: 'self_signed', status: 'valid' })
})
