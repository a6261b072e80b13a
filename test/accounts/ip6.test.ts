import { expect, test } from 'vitest'
import { withAddresses } from '../../src/areas/imports/plan/zones.ts'
import { firstAddress } from '../../src/areas/ips/first.ts'
import { accepted, nothing, occurred, problem, withZone } from '../dns/fixtures.ts'
import { type Json, startPanel } from '../harness.ts'

async function world() {
  const made = await withZone()
  const ip = async (address: string, kind?: string): Promise<Json> =>
    (await made.panel.post('/ips', { address, kind })).body
  const change = (body: object) => made.panel.patch(`/accounts/${made.alice.id}`, body)
  const addresses = async () =>
    (await made.records())
      .filter(({ type, value }) => type === 'A' || type === 'AAAA' || value.startsWith('v=spf1'))
      .map(({ name, value, managed }) => `${name} ${value}${managed ? '' : ' own'}`)
  return { ...made, ip, change, addresses }
}

test('an account may have an IPv6 address beside its IPv4 one, which its records follow', async () => {
  const { panel, zone, alice, ip, change, addresses, file } = await world()
  expect(alice).not.toHaveProperty('ip6_id')
  const first = await ip('2001:db8::1')
  const second = await ip('2001:db8::2')
  expect((await panel.post(`/accounts/${alice.id}/domains`, { name: 'shop.alice.example' })).status).toBe(202)
  await panel.settle()
  panel.forget()

  const { account } = accepted(await change({ ip6_id: first.id }))
  expect(account).toMatchObject({ ip_address: '192.0.2.2', ip6_id: first.id, ip6_address: '2001:db8::1' })
  expect(await occurred(panel)).toEqual({
    events: [...Array(6).fill('dns.record.created'), 'dns.record.updated', 'job.completed'],
    jobs: ['account.update succeeded'],
  })
  expect((await addresses()).sort()).toEqual([
    '@ 192.0.2.2',
    '@ 2001:db8::1',
    '@ v=spf1 a mx ip4:192.0.2.2 ip6:2001:db8::1 ~all',
    'autoconfig 192.0.2.2',
    'autoconfig 2001:db8::1',
    'autodiscover 192.0.2.2',
    'autodiscover 2001:db8::1',
    'mail 192.0.2.2',
    'mail 2001:db8::1',
    'shop 192.0.2.2',
    'shop 2001:db8::1',
    'www 192.0.2.2',
    'www 2001:db8::1',
  ])
  expect(file('alice.example')).toContain('www IN AAAA 2001:db8::1\n')
  expect((await panel.get(`/ips/${first.id}`)).body.account_count).toBe(1)
  expect(problem(await panel.delete(`/ips/${first.id}`))).toEqual([409, 'in-use'])

  panel.forget()
  accepted(await change({ ip6_id: first.id }))
  expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['account.update succeeded'] })
  panel.forget()
  accepted(await change({ ip6_id: second.id }))
  expect(await occurred(panel)).toMatchObject({ events: [...Array(7).fill('dns.record.updated'), 'job.completed'] })
  panel.forget()
  expect(accepted(await change({ ip6_id: null })).account).not.toHaveProperty('ip6_address')
  expect(await occurred(panel)).toEqual({
    events: [...Array(6).fill('dns.record.deleted'), 'dns.record.updated', 'job.completed'],
    jobs: ['account.update succeeded'],
  })
  expect((await panel.get(`${zone}/records?type=AAAA`)).body.total).toBe(0)
  expect((await panel.delete(`/ips/${first.id}`)).status).toBe(204)
})

test('a new account, its domains and a reset have both addresses', async () => {
  const { panel, ip } = await world()
  const { id } = await ip('2001:db8::1')
  const bob = await panel.account('bob', { ip6_id: id })
  expect(bob).toMatchObject({ ip6_id: id, ip6_address: '2001:db8::1' })
  accepted(await panel.post(`/accounts/${bob.id}/domains`, { name: 'shop.example' }))
  accepted(await panel.post(`/accounts/${bob.id}/domains`, { name: 'blog.bob.example' }))
  await panel.settle()
  const zones = (await panel.get(`/accounts/${bob.id}/dns/zones`)).body.items
  const values = async (zone: string) =>
    (await panel.get(`/accounts/${bob.id}/dns/zones/${zone}/records?type=AAAA`)).body.items.map(
      ({ name, value }: Json) => `${name} ${value}`,
    )
  const named = Object.fromEntries(zones.map(({ name, id }: Json) => [name, id]))
  const five = ['@', 'www', 'mail', 'autoconfig', 'autodiscover'].map((name) => `${name} 2001:db8::1`)
  expect(await values(named['shop.example'])).toEqual(five)
  expect(await values(named['bob.example'])).toEqual([...five, 'blog 2001:db8::1'])
  expect((await panel.post(`/accounts/${bob.id}/dns/zones/${named['bob.example']}/reset`)).status).toBe(202)
  expect(await values(named['bob.example'])).toEqual([...five, 'blog 2001:db8::1'])
})

test("records of the customer's stay as they are", async () => {
  const { add, find, zone, panel, ip, change, addresses } = await world()
  accepted(await panel.delete(`${zone}/records/${(await find('www', 'A')).id}`))
  accepted(await add('www', 'A', '203.0.113.9'))
  accepted(await add('mail', 'AAAA', '2001:db8::9'))
  accepted(await change({ ip6_id: (await ip('2001:db8::1')).id }))
  await panel.settle()
  const both = ['@ 192.0.2.2', '@ 2001:db8::1', '@ v=spf1 a mx ip4:192.0.2.2 ip6:2001:db8::1 ~all', 'mail 192.0.2.2']
  const ofPrograms = ['autoconfig', 'autodiscover'].flatMap((name) => [`${name} 192.0.2.2`, `${name} 2001:db8::1`])
  const own = ['mail 2001:db8::9 own', 'www 203.0.113.9 own']
  expect((await addresses()).sort()).toEqual([...both, ...ofPrograms, ...own].sort())
})

test('an account moves to IPv6 alone, and back', async () => {
  const { panel, alice, ip, change, addresses } = await world()
  const { id } = await ip('2001:db8::1')
  accepted(await change({ ip6_id: id }))
  expect(problem(await change({ ip_id: id }))).toEqual([400, 'validation', 'ip6_id'])
  await panel.settle()
  panel.forget()
  accepted(await change({ ip_id: id, ip6_id: null }))
  expect(await occurred(panel)).toMatchObject({
    events: [...Array(5).fill('dns.record.deleted'), 'dns.record.updated', 'job.completed'],
  })
  const names = ['@', 'www', 'mail', 'autoconfig', 'autodiscover']
  const alone = [...names.map((name) => `${name} 2001:db8::1`), '@ v=spf1 a mx ip6:2001:db8::1 ~all']
  expect((await addresses()).sort()).toEqual(alone.sort())
  panel.forget()
  accepted(await change({ ip_id: alice.ip_id, ip6_id: id }))
  expect(await occurred(panel)).toMatchObject({
    events: [...Array(5).fill('dns.record.created'), 'dns.record.updated', 'job.completed'],
  })
})

test('what is no IPv6 address beside an IPv4 one is refused, and changes nothing', async () => {
  const { panel, alice, ip, change } = await world()
  const six = await ip('2001:db8::1', 'dedicated')
  const other = await ip('2001:db8::2')
  const four = await ip('192.0.2.77')
  panel.forget()
  const create = (fields: object) => panel.post('/accounts', { username: 'bob', domain: 'bob.example', ...fields })
  const refused = [400, 'validation', 'ip6_id']
  for (const ip6_id of [four.id, alice.ip_id, alice.id, 'x\n', '', '2001:db8::1', 6, {}, [six.id]]) {
    expect(problem(await create({ ip6_id })), String(ip6_id)).toEqual(refused)
    expect(problem(await change({ ip6_id })), String(ip6_id)).toEqual(refused)
  }
  expect(problem(await create({ ip6_id: null }))).toEqual(refused)
  expect(problem(await create({ ip_id: other.id, ip6_id: six.id }))).toEqual(refused)
  expect(problem(await change({ ip_id: other.id, ip6_id: six.id }))).toEqual(refused)
  expect(await occurred(panel)).toEqual(nothing)
  accepted(await change({ ip6_id: six.id }))
  expect(problem(await create({ ip6_id: six.id }))).toEqual(refused)
  expect(problem(await create({ ip_id: six.id }))).toEqual([400, 'validation', 'ip_id'])
})

test('a customer cannot change it', async () => {
  const { panel, alice, ip } = await world()
  const token = await panel.token(['account:write'], { account: alice.id })
  const { id } = await ip('2001:db8::1')
  expect(problem(await panel.patch(`/accounts/${alice.id}`, { ip6_id: id }, { token }))).toEqual([
    400,
    'validation',
    'ip6_id',
  ])
})

test('the main address of a machine is an IPv6 one where it has no other', () => {
  const one = (address: string, internal = false) =>
    ({ address, family: address.includes(':') ? 'IPv6' : 'IPv4', internal }) as const
  const local = [one('127.0.0.1', true), one('::1', true), one('fe80::1'), one('FEBF::1')]
  expect(firstAddress([...local, one('2001:db8::7'), one('192.0.2.7')])).toEqual({ address: '192.0.2.7', version: 4 })
  expect(firstAddress([...local, one('2001:db8::7')])).toEqual({ address: '2001:db8::7', version: 6 })
  expect(firstAddress(local)).toEqual({ address: '127.0.0.1', version: 4 })
})

test('an IPv6-only server has zones, previews and mail records', async () => {
  const panel = await startPanel()
  panel.store.change(() => void panel.store.sqlite.prepare(`UPDATE ips SET address = '2001:db8::7', version = 6`).run())
  const alice = await panel.account('alice')
  expect([alice.ip_address, alice.ip6_address]).toEqual(['2001:db8::7', undefined])
  const [zone] = (await panel.get(`/accounts/${alice.id}/dns/zones`)).body.items
  const records: Json[] = (await panel.get(`/accounts/${alice.id}/dns/zones/${zone.id}/records`)).body.items
  expect(records.map(({ name, type, value }) => `${name} ${type} ${value}`).slice(0, 7)).toEqual([
    '@ AAAA 2001:db8::7',
    'www AAAA 2001:db8::7',
    'mail AAAA 2001:db8::7',
    'autoconfig AAAA 2001:db8::7',
    'autodiscover AAAA 2001:db8::7',
    '@ MX mail.alice.example',
    '@ TXT v=spf1 a mx ip6:2001:db8::7 ~all',
  ])
  const [domain] = (await panel.get(`/accounts/${alice.id}/domains`)).body.items
  const { preview } = (await panel.post(`/accounts/${alice.id}/domains/${domain.id}/preview`, {})).body
  expect(preview.hosts_line).toBe('2001:db8::7 alice.example www.alice.example')
  const six = (await panel.post('/ips', { address: '2001:db8::8' })).body
  expect(problem(await panel.patch(`/accounts/${alice.id}`, { ip6_id: six.id }))).toEqual([400, 'validation', 'ip6_id'])
})

test('records of an imported zone get the address of their family', () => {
  const [four, six] = ['192.0.2.7', '2001:db8::7']
  const at = (type: string, value: string, addresses: readonly string[]) =>
    withAddresses({ name: '@', type, value }, addresses)
  expect([at('A', '0.0.0.0', [four, six]), at('AAAA', '0.0.0.0', [four, six])]).toEqual([four, six])
  expect([at('A', '0.0.0.0', [six]), at('AAAA', '0.0.0.0', [four])]).toEqual([undefined, undefined])
  expect([at('A', '203.0.113.1', [six]), at('AAAA', '2001:db8::9', [four])]).toEqual(['203.0.113.1', '2001:db8::9'])
  const policy = 'v=spf1 ip4:0.0.0.0 ip6:0.0.0.0 include:x.example ~all'
  expect(at('TXT', policy, [four, six])).toBe('v=spf1 ip4:192.0.2.7 ip6:2001:db8::7 include:x.example ~all')
  expect(at('TXT', policy, [six])).toBe('v=spf1 ip6:2001:db8::7 ip6:2001:db8::7 include:x.example ~all')
})
