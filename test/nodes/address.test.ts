import { expect, test } from 'vitest'
import { zoneOf } from '../dns/fixtures.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { second } from './second.ts'

async function recordsOf(panel: TestPanel, account: string, name: string): Promise<string[]> {
  const { records } = await zoneOf(panel, account, name)
  return (await records()).map(({ name, type, value }) => `${name} ${type} ${value}`)
}

test("an account has its node's address, and its zone names its node", async () => {
  const panel = await startPanel()
  await second(panel, { name: 'web2', addresses: ['web2.example', '2001:db8::2', '192.0.2.12', '192.0.2.13'] })
  const alice = await panel.account('alice', { node: 'local' })
  const bob = await panel.account('bob', { node: 'web2' })
  const carol = await panel.account('carol', { node: 'web2' })
  expect(alice.ip_address).not.toBe('192.0.2.12')
  expect([bob.ip_address, carol.ip_address]).toEqual(['192.0.2.12', '192.0.2.12'])
  expect(await recordsOf(panel, bob.id, 'bob.example')).toEqual(
    expect.arrayContaining([
      '@ A 192.0.2.12',
      'www A 192.0.2.12',
      'mail A 192.0.2.12',
      '@ TXT v=spf1 a mx ip4:192.0.2.12 ~all',
      '_imaps._tcp SRV mail.bob.example',
    ]),
  )
  expect(await recordsOf(panel, alice.id, 'alice.example')).toContain(`@ A ${alice.ip_address}`)
  const listed = (await panel.get('/ips')).body.items
  expect(listed.map(({ address, account_count }: Json) => [address, account_count])).toEqual([
    [alice.ip_address, 1],
    ['192.0.2.12', 2],
  ])
})

test('a node with only IPv6 uses that, and one without an address uses the main address', async () => {
  const panel = await startPanel()
  await second(panel, { name: 'six', addresses: ['2001:db8:0::6'] })
  await second(panel, { name: 'mapped', addresses: ['::ffff:192.0.2.7'] })
  await second(panel, { name: 'none' })
  const alice = await panel.account('alice', { node: 'local' })
  const made = []
  for (const node of ['six', 'mapped', 'none']) made.push(await panel.account(`on${node}`, { node }))
  expect(made.map(({ ip_address }) => ip_address)).toEqual(['2001:db8::6', '192.0.2.7', alice.ip_address])
  expect(await recordsOf(panel, made[0]!.id, 'onsix.example')).toContain('@ AAAA 2001:db8::6')
})

test('an address of another node is refused, and a dedicated one belongs to the node', async () => {
  const panel = await startPanel()
  await second(panel, { name: 'web2', addresses: ['192.0.2.12', '192.0.2.13'] })
  const alice = await panel.account('alice', { node: 'local' })
  const bob = await panel.account('bob', { node: 'web2' })
  const { body: other } = await panel.post('/ips', { address: '192.0.2.13', kind: 'dedicated' })
  const set = (account: string, ip_id: string) => panel.patch(`/accounts/${account}`, { ip_id })
  panel.forget()
  expect((await set(alice.id, bob.ip_id)).body.fields).toEqual({ ip_id: 'is not an IP address of the node local' })
  expect((await set(bob.id, alice.ip_id)).body.fields).toEqual({ ip_id: 'is not an IP address of the node web2' })
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
  const { body: plan } = await panel.post('/packages', { name: 'own', dedicated_ip: true })
  const create = (username: string, node: string) =>
    panel.post('/accounts', { username, domain: `${username}.example`, package_id: plan.id, node })
  expect((await create('dave', 'local')).code).toBe('not-configured')
  expect((await create('dave', 'web2')).body.account.ip_address).toBe(other.address)
})
