import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { zoneOf } from '../dns/fixtures.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { lose, second } from './second.ts'

const at = (panel: TestPanel, path: string): string => join(panel.dir, 'host/etc/bind/panel', path)
const textOf = (panel: TestPanel, path: string): string => readFileSync(at(panel, path), 'utf8')

test('the control plane serves zones of accounts on other nodes, even while their node is down', async () => {
  const panel = await startPanel()
  await second(panel, { name: 'web2' })
  const bob = await panel.account('bob', { node: 'web2' })
  const list = `zones.d/_elsewhere_${bob.id}`
  expect(textOf(panel, list)).toContain('zone "bob.example" { type primary;')
  expect(textOf(panel, 'zones/bob.example.zone')).toContain('@ IN A ')
  lose(panel, 'web2')
  const { add, zone } = await zoneOf(panel, bob.id, 'bob.example')
  expect((await add('t', 'TXT', 'still')).status).toBe(202)
  await panel.settle()
  expect(textOf(panel, 'zones/bob.example.zone')).toContain('t IN TXT "still"')
  expect(panel.jobs()).toEqual(['dns.zone.update queued', 'dns.served.apply succeeded'])
  expect((await panel.post(`${zone}/dnssec`)).status).toBe(202)
  await panel.settle()
  expect(textOf(panel, list)).toContain('dnssec-policy panel')
})

test('lists zones in the catalogs of peers, and removes them with their account', async () => {
  const panel = await startPanel()
  await second(panel, { name: 'web2' })
  const bob = await panel.account('bob', { node: 'web2' })
  await panel.account('alice', { node: 'local' })
  const made = await panel.post('/nodes/dns-peers', { name: 'ns2', address: ['192.0.2.53'] })
  expect(made.status).toBe(201)
  await panel.settle()
  const members = () =>
    [...textOf(panel, 'zones/catalog-1.panel.invalid.zone').matchAll(/PTR (\S+)\.$/gm)].map(([, name]) => name)
  expect(members()).toEqual(['alice.example', 'bob.example'])
  expect((await panel.delete(`/accounts/${bob.id}?confirm=bob&final_backup=false`)).status).toBe(202)
  await panel.settle()
  expect(members()).toEqual(['alice.example'])
  expect([
    existsSync(at(panel, `zones.d/_elsewhere_${bob.id}`)),
    existsSync(at(panel, 'zones/bob.example.zone')),
  ]).toEqual([false, false])
})
