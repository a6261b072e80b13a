import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Json, TestPanel } from '../harness.ts'
import { accepted, withZone } from './fixtures.ts'
import { freePort, rendered, startNamed, tool, until } from './named.ts'

const bind = (panel: TestPanel, path: string): string => join(panel.dir, 'host/etc/bind/panel', path)
const textOf = (panel: TestPanel, path: string): string => readFileSync(bind(panel, path), 'utf8')
const catalog = 'zones/catalog-1.panel.invalid.zone'

async function peer(panel: TestPanel, name: string, address = '192.0.2.53'): Promise<Json> {
  const made = await panel.post('/nodes/dns-peers', { name, address: [address] })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body
}

test('a peer gets a key once and the lines for its configuration, and the host is updated', async () => {
  const { panel } = await withZone()
  panel.forget()
  const { peer: made, key, configuration } = await peer(panel, 'ns2')
  await panel.settle()
  expect([panel.events(), panel.jobs()]).toEqual([['job.completed'], ['server.apply succeeded']])
  expect(key).toEqual({ name: 'panel-ns2', algorithm: 'hmac-sha256', secret: expect.stringMatching(/^.{43}=$/) })
  const from = '{ 192.0.2.1 key "panel-ns2"; }'
  const primary = (panel.store.sqlite.prepare('SELECT address FROM ips WHERE main').get() as Json).address
  expect(configuration.replaceAll(primary, '192.0.2.1').split('\n')).toEqual([
    `key "panel-ns2" { algorithm hmac-sha256; secret "${key.secret}"; };`,
    `zone "catalog-1.panel.invalid" { type secondary; primaries ${from}; file "catalog-1.panel.invalid.zone"; };`,
    '// Inside of options { … }:',
    'catalog-zones {',
    `  zone "catalog-1.panel.invalid" default-primaries ${from} min-update-interval 2;`,
    '};',
    '',
  ])
  expect(textOf(panel, 'transfer.conf')).toBe(
    'allow-transfer { key "panel-ns2"; };\nalso-notify { 192.0.2.53 key "panel-ns2"; };\nnotify explicit;\nnotify-delay 0;\n',
  )
  expect(textOf(panel, catalog)).toMatch(/^version IN TXT "2"\n[0-9a-f]{40}\.zones IN PTR alice\.example\.$/m)
  expect((await panel.get('/nodes/dns-peers')).body.items).toEqual([made])
  expect(JSON.stringify((await panel.get('/audit')).body) + panel.logged.join()).not.toContain(key.secret)
  expect(readFileSync(join(panel.dir, 'panel.db')).includes(key.secret)).toBe(false)
})

test('a diff of the host writes no catalogs', async () => {
  const { panel } = await withZone()
  await peer(panel, 'ns2')
  await panel.settle()
  const { sqlite } = panel.store
  const changed = "UPDATE dns_zones SET catalog = NULL; UPDATE dns_catalogs SET digest = 'another'"
  await panel.store.change(() => void sqlite.exec(changed))
  const stored = () => [
    sqlite.prepare('SELECT catalog FROM dns_zones').all(),
    sqlite.prepare('SELECT * FROM dns_catalogs').all(),
  ]
  const before = stored()
  const { differences } = (await panel.get('/host/diff')).body
  expect(differences).toMatchObject([{ path: `/etc/bind/panel/${catalog}`, change: 'changed' }])
  expect(stored()).toEqual(before)
})

test('names are unique, addresses are validated, and without a peer nothing may transfer zones', async () => {
  const { panel } = await withZone()
  const { peer: made } = await peer(panel, 'ns2')
  const again = await panel.post('/nodes/dns-peers', { name: 'ns2', address: ['192.0.2.54'] })
  expect([again.code, again.body.fields]).toEqual(['exists', { name: 'is taken; choose another' }])
  const wrong = await panel.post('/nodes/dns-peers', { name: 'ns3', address: ['ns3.example'] })
  expect(wrong.body.fields).toEqual({ address: 'must be an IPv4 or IPv6 address' })
  await panel.settle()
  expect((await panel.delete(`/nodes/dns-peers/${made.id}`)).status).toBe(204)
  await panel.settle()
  expect(textOf(panel, 'transfer.conf')).toBe('allow-transfer { none; };\n')
  expect([existsSync(bind(panel, 'zones.d/_peers')), existsSync(bind(panel, catalog))]).toEqual([false, false])
})

test('zones enter the catalog once the host has them, and leave it; each change increments its serial', async () => {
  const { panel, alice } = await withZone()
  await peer(panel, 'ns2')
  await panel.settle()
  panel.forget()
  const members = () => [...textOf(panel, catalog).matchAll(/PTR (\S+)\.$/gm)].map(([, name]) => name)
  const serial = () => Number(/invalid\. (\d+) 60/.exec(textOf(panel, catalog))?.[1])
  const first = serial()
  const { domain } = accepted(await panel.post(`/accounts/${alice.id}/domains`, { name: 'shop.example' }))
  await panel.settle()
  expect(panel.jobs()).toEqual(['domain.create succeeded', 'server.apply succeeded'])
  expect([members(), serial()]).toEqual([['alice.example', 'shop.example'], first + 1])
  accepted(await panel.delete(`/accounts/${alice.id}/domains/${domain.id}`))
  await panel.settle()
  expect([members(), serial()]).toEqual([['alice.example'], first + 2])
  accepted(await panel.patch(`/accounts/${alice.id}`, { domain: 'alicia.example' }))
  await panel.settle()
  expect(members()).toEqual(['alicia.example'])
})

test('without a peer no zone enqueues more than its own job', async () => {
  const { panel, alice } = await withZone()
  panel.forget()
  accepted(await panel.post(`/accounts/${alice.id}/domains`, { name: 'shop.example' }))
  await panel.settle()
  expect(panel.jobs()).toEqual(['domain.create succeeded'])
})

test('a catalog has 10,000 zones, then a second one is added, and none moves when one leaves', {
  timeout: 60_000,
}, async () => {
  const { panel } = await withZone()
  const { sqlite } = panel.store
  const change = (sql: string) => panel.store.change(() => void sqlite.exec(sql))
  await change(`
    CREATE TEMP TABLE pattern AS SELECT * FROM dns_zones;
    UPDATE pattern SET catalog = NULL, applied_serial = 1;
    CREATE TEMP TABLE of_domains AS SELECT * FROM domains;
    CREATE TEMP TABLE made AS WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 10001)
      SELECT n, pattern.* FROM n, pattern;
    UPDATE made SET id = '02J' || printf('%023d', n), domain_id = '02J' || printf('%023d', n), name = 'z' || n || '.example';
    ALTER TABLE made DROP COLUMN n;
    CREATE TEMP TABLE more AS SELECT of_domains.*, made.domain_id AS as_id, made.name AS as_name FROM of_domains, made;
    UPDATE more SET id = as_id, name = as_name, reversed = as_name, kind = 'addon';
    ALTER TABLE more DROP COLUMN as_id;
    ALTER TABLE more DROP COLUMN as_name;
    INSERT INTO domains SELECT * FROM more;
    INSERT INTO dns_zones SELECT * FROM made;`)
  const counts = () =>
    [1, 2].map((n) => [...textOf(panel, `zones/catalog-${n}.panel.invalid.zone`).matchAll(/ PTR /g)].length)
  await peer(panel, 'ns2')
  await panel.settle()
  expect(counts()).toEqual([10_000, 2])
  await change("DELETE FROM dns_zones WHERE name = 'z7.example'")
  await peer(panel, 'ns3')
  await panel.settle()
  expect(counts()).toEqual([9_999, 2])
  expect((await panel.post('/nodes/dns-peers', { name: 'ns4', address: ['192.0.2.9'] })).body.configuration).toContain(
    'catalog-2.panel.invalid',
  )
})

const tools = ['/usr/sbin/named', '/usr/bin/dig', '/usr/bin/named-checkconf', '/usr/bin/named-checkzone']
const loopback = '127.0.0.1'

describe.skipIf(!tools.every((one) => existsSync(one)))('two BINDs on loopback', () => {
  const common = (dir: string, port: number) =>
    `directory "${dir}"; pid-file "${dir}/pid"; session-keyfile "${dir}/session"; port ${port};
     listen-on { ${loopback}; }; listen-on-v6 { none; }; recursion no; dnssec-validation no; minimal-responses yes;`

  /** The configuration of a peer, as the panel shows it; its primary is on loopback, at a port. */
  const secondaryOf = (panel: TestPanel, configuration: string, port: number, primary: number) => (dir: string) => {
    const { address } = panel.store.sqlite.prepare('SELECT address FROM ips WHERE main').get() as Json
    const received = configuration.replaceAll(`{ ${address} `, `{ ${loopback} port ${primary} `)
    const [outside, inside] = received.split(/^\/\/.*$/m)
    return `options { ${common(dir, port)} ${inside} };\ncontrols { };\n${outside}`
  }

  const primaryOf = (panel: TestPanel, port: number, secondary: number) => (dir: string) => {
    const rules = textOf(panel, 'transfer.conf').replaceAll(`{ ${loopback} `, `{ ${loopback} port ${secondary} `)
    return `options { ${common(dir, port)}\n${rules} };\ncontrols { };\n${rendered(join(panel.dir, 'host'))}`
  }

  test('serves every zone from both: new, changed, deleted, and while the primary is down', {
    timeout: 60_000,
  }, async () => {
    const { panel, alice, zone } = await withZone()
    const { configuration } = await peer(panel, 'ns2', loopback)
    await panel.settle()
    const [one, other] = [await freePort(), await freePort()]
    const primary = startNamed({ port: one, conf: primaryOf(panel, one, other) })
    const secondary = startNamed({ port: other, conf: secondaryOf(panel, configuration, other, one) })
    const has = (name: string, type: string, answer: RegExp) =>
      until(() => (answer.test(secondary.dig(name, type)) ? true : undefined))
    await has('alice.example', 'SOA', /hostmaster\.alice\.example\./)

    const { domain } = accepted(await panel.post(`/accounts/${alice.id}/domains`, { name: 'shop.example' }))
    await panel.settle()
    primary.reload()
    await has('shop.example', 'SOA', /hostmaster\.shop\.example\./)

    accepted(await panel.post(`${zone}/records`, { name: 't', type: 'TXT', value: 'second' }))
    await panel.settle()
    primary.reload()
    await has('t.alice.example', 'TXT', /^"second"$/)

    accepted(await panel.delete(`/accounts/${alice.id}/domains/${domain.id}`))
    await panel.settle()
    primary.reload()
    await has('shop.example', 'SOA', /^$/)

    for (const { conf } of [primary, secondary]) expect(tool('/usr/bin/named-checkconf', conf)).toBe('')
    const checked = spawnSync('/usr/bin/named-checkzone', ['catalog-1.panel.invalid', bind(panel, catalog)])
    expect([checked.status, String(checked.stdout)]).toEqual([0, expect.stringMatching(/loaded serial \d+\nOK\n$/)])

    await primary.stop()
    expect(primary.dig('t.alice.example', 'TXT')).not.toContain('second')
    expect(secondary.dig('t.alice.example', 'TXT')).toBe('"second"')
    expect(secondary.dig('catalog-1.panel.invalid', 'PTR')).toBe('')
  })
})
