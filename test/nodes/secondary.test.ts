import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { zoneOf } from '../dns/fixtures.ts'
import { freePort, rendered, startNamed, tool, until } from '../dns/named.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { second } from './second.ts'

const bind = (root: string, path: string): string => join(root, 'etc/bind/panel', path)
const local = (panel: TestPanel): string => join(panel.dir, 'host')
const idOf = async (panel: TestPanel, name: string): Promise<string> =>
  (await panel.get('/nodes')).body.items.find((node: Json) => node.name === name).id

async function withSecondary(address = '192.0.2.53') {
  const panel = await startPanel()
  const alice = await panel.account('alice')
  const node = { name: 'ns2', joined_at: panel.clock.now(), fingerprint: 'a'.repeat(64), addresses: [address] }
  const { root } = await second(panel, { ...node, roles: ['dns'] })
  const id = await idOf(panel, 'ns2')
  await panel.patch(`/nodes/${id}`, { roles: ['web'] })
  await panel.settle()
  panel.forget()
  expect((await panel.patch(`/nodes/${id}`, { roles: ['dns-secondary'] })).status).toBe(200)
  await panel.settle()
  return { panel, alice, root, id }
}

test('a node with the role dns-secondary and its primary learn of each other, until it loses the role', async () => {
  const { panel, root, id } = await withSecondary()
  expect(panel.jobs().sort()).toEqual(['dns.secondary.apply succeeded', 'server.apply succeeded'])
  const { address } = panel.store.sqlite.prepare('SELECT address FROM ips WHERE main').get() as Json
  const beside = readFileSync(bind(root, 'zones.d/_primary'), 'utf8')
  const [, secret] = /secret "(.{43}=)"/.exec(beside)!
  expect(beside).toBe(
    [
      `key "panel-node_ns2" { algorithm hmac-sha256; secret "${secret}"; };`,
      `zone "catalog-1.panel.invalid" { type secondary; primaries { ${address} key "panel-node_ns2"; }; file "catalog-1.panel.invalid.zone"; };`,
      '',
    ].join('\n'),
  )
  expect(readFileSync(bind(root, 'transfer.conf'), 'utf8')).toBe(
    [
      'allow-transfer { none; };',
      'catalog-zones {',
      `  zone "catalog-1.panel.invalid" default-primaries { ${address} key "panel-node_ns2"; } min-update-interval 2;`,
      '};',
      '',
    ].join('\n'),
  )
  expect(readFileSync(bind(local(panel), 'transfer.conf'), 'utf8')).toContain(
    'also-notify { 192.0.2.53 key "panel-node_ns2"; };',
  )
  expect(readFileSync(bind(local(panel), 'zones.d/_peers'), 'utf8')).toContain(secret)
  expect((await panel.get('/nodes/dns-peers')).body).toEqual({ items: [], total: 0 })
  expect(JSON.stringify((await panel.get('/audit')).body) + panel.logged.join()).not.toContain(secret)
  panel.forget()
  await panel.patch(`/nodes/${id}`, { labels: ['ssd'] })
  await panel.settle()
  expect(panel.jobs()).toEqual([])
  await panel.patch(`/nodes/${id}`, { addresses: ['192.0.2.54'] })
  await panel.settle()
  expect(panel.jobs()).toEqual(['server.apply succeeded'])
  expect(readFileSync(bind(local(panel), 'transfer.conf'), 'utf8')).toContain('also-notify { 192.0.2.54 key')
  await panel.patch(`/nodes/${id}`, { roles: ['web'] })
  await panel.settle()
  expect(existsSync(bind(root, 'zones.d/_primary'))).toBe(false)
  for (const at of [root, local(panel)])
    expect(readFileSync(bind(at, 'transfer.conf'), 'utf8')).toBe('allow-transfer { none; };\n')
})

const keyOf = (root: string): string =>
  /secret "(.{43}=)"/.exec(readFileSync(bind(root, 'zones.d/_primary'), 'utf8'))![1]!

test.each(['revoked', 'deleted'])('refuses zone transfers to a node that is %s', async (what) => {
  const { panel, alice, id } = await withSecondary()
  panel.forget()
  const answer =
    what === 'revoked' ? await panel.post(`/nodes/${id}/revoke`, {}) : await panel.delete(`/nodes/${id}?confirm=ns2`)
  expect(answer.status).toBe(what === 'revoked' ? 200 : 204)
  await panel.settle()
  expect(panel.jobs()).toEqual(['server.apply succeeded'])
  expect(readFileSync(bind(local(panel), 'transfer.conf'), 'utf8')).toBe('allow-transfer { none; };\n')
  panel.forget()
  expect((await panel.post(`/accounts/${alice.id}/domains`, { name: 'shop.example' })).status).toBe(202)
  await panel.settle()
  expect(panel.jobs()).toEqual(['domain.create succeeded'])
})

test('a node that joins again on another machine gets a new key', async () => {
  const { panel, root, id } = await withSecondary()
  const before = keyOf(root)
  await panel.store.change(
    () => void panel.store.sqlite.exec(`UPDATE nodes SET fingerprint = '${'b'.repeat(64)}' WHERE name = 'ns2'`),
  )
  await panel.patch(`/nodes/${id}`, { labels: ['x'] })
  await panel.settle()
  expect(keyOf(root)).not.toBe(before)
  const accepted = readFileSync(bind(local(panel), 'zones.d/_peers'), 'utf8')
  expect([accepted.includes(keyOf(root)), accepted.includes(before)]).toEqual([true, false])
})

test('what a diff finds enqueues no job; a change of the host does', async () => {
  const { panel } = await withSecondary()
  await panel.store.change(() => void panel.store.sqlite.exec('UPDATE dns_peers SET told = NULL'))
  panel.forget()
  expect((await panel.get('/host/diff')).status).toBe(200)
  await panel.settle()
  expect(panel.jobs()).toEqual([])
  expect((await panel.post('/nodes/dns-peers', { name: 'ns3', address: ['192.0.2.55'] })).status).toBe(201)
  await panel.settle()
  expect(panel.jobs().sort()).toEqual(['dns.secondary.apply succeeded', 'server.apply succeeded'])
})

test('the primary is never its own secondary', async () => {
  const panel = await startPanel()
  const refused = await panel.patch(`/nodes/${await idOf(panel, 'local')}`, { roles: ['web', 'dns-secondary'] })
  expect(refused.body.fields).toEqual({ roles: 'local is what secondaries take zones from; give it the role dns' })
})

const tools = ['/usr/sbin/named', '/usr/bin/dig', '/usr/bin/named-checkconf']
const loopback = '127.0.0.1'

test.skipIf(!tools.every((one) => existsSync(one)))(
  'BIND on such a node has every zone, and answers while the primary is down',
  {
    timeout: 60_000,
  },
  async () => {
    const { panel, alice, root } = await withSecondary(loopback)
    const { address } = panel.store.sqlite.prepare('SELECT address FROM ips WHERE main').get() as Json
    const [one, other] = [await freePort(), await freePort()]
    const common = (dir: string, port: number) =>
      `directory "${dir}"; pid-file "${dir}/pid"; session-keyfile "${dir}/session"; port ${port};
     listen-on { ${loopback}; }; listen-on-v6 { none; }; recursion no; dnssec-validation no; minimal-responses yes;`
    const ofSecondary = (text: string) => text.replaceAll(`{ ${address} `, `{ ${loopback} port ${one} `)
    const primary = startNamed({
      port: one,
      conf: (dir) => {
        const rules = readFileSync(bind(local(panel), 'transfer.conf'), 'utf8')
        const received = rules.replaceAll(`{ ${loopback} `, `{ ${loopback} port ${other} `)
        return `options { ${common(dir, one)}\n${received} };\ncontrols { };\n${rendered(local(panel))}`
      },
    })
    const secondary = startNamed({
      port: other,
      conf: (dir) => {
        const inside = ofSecondary(readFileSync(bind(root, 'transfer.conf'), 'utf8'))
        const beside = ofSecondary(readFileSync(bind(root, 'zones.d/_primary'), 'utf8'))
        return `options { ${common(dir, other)}\n${inside} };\ncontrols { };\n${beside}`
      },
    })
    const { add } = await zoneOf(panel, alice.id, 'alice.example')
    const has = (name: string, type: string, answer: RegExp) =>
      until(() => (answer.test(secondary.dig(name, type)) ? true : undefined))
    await has('alice.example', 'SOA', /hostmaster\.alice\.example\./)
    expect((await add('t', 'TXT', 'second')).status).toBe(202)
    await panel.settle()
    primary.reload()
    await has('t.alice.example', 'TXT', /^"second"$/)
    for (const { conf } of [primary, secondary]) expect(tool('/usr/bin/named-checkconf', conf)).toBe('')
    await primary.stop()
    expect(secondary.dig('t.alice.example', 'TXT')).toBe('"second"')
  },
)
