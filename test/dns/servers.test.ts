import { expect, test } from 'vitest'
import { type Json, startPanel } from '../harness.ts'
import { accepted, nothing, occurred, problem, withZone, zoneOf } from './fixtures.ts'

const servers = ['ns1.rita.example', 'ns2.rita.example']

/** A reseller whose name servers are inside the zone of its own main domain, which existed before. */
async function withServers() {
  const panel = await startPanel()
  const rita = await panel.account('rita', { make_reseller: true, owns_itself: true })
  const named = await panel.patch(`/resellers/${rita.id}`, { nameservers: servers })
  expect(named.status, JSON.stringify(named.body)).toBe(200)
  await occurred(panel)
  return { panel, ...(await zoneOf(panel, rita.id, 'rita.example')) }
}

const addresses = (all: readonly Json[]) =>
  all.filter(({ name }) => /^ns/.test(name)).map(({ name, value, managed }) => [name, value, managed])

test("an owner's name servers inside a zone are added with their addresses", async () => {
  const { panel, add, file, records, show } = await withServers()
  const before = await show()
  accepted(await add('q', 'A', '192.0.2.9'))
  expect(await occurred(panel)).toEqual({
    events: ['dns.record.created', 'dns.record.created', 'dns.record.created', 'job.completed'],
    jobs: ['dns.zone.update succeeded'],
  })
  expect(addresses(await records())).toEqual([
    ['ns1', '192.0.2.2', true],
    ['ns2', '192.0.2.2', true],
  ])
  expect(await show()).toMatchObject({ nameservers: servers, serial: before.serial + 1 })
  expect(file('rita.example')).toContain('@ IN NS ns1.rita.example.\n@ IN NS ns2.rita.example.\n')
})

test('an address that the change itself adds is not added twice', async () => {
  const { panel, zone, add, records, show } = await withServers()
  accepted(await add('ns1', 'A', '192.0.2.53'))
  expect(addresses(await records())).toEqual([
    ['ns1', '192.0.2.53', false],
    ['ns2', '192.0.2.2', true],
  ])
  accepted(await panel.patch(zone, { ttl: 300 }))
  expect(await show()).toMatchObject({ nameservers: servers, ttl: 300 })
})

test("a change of the zone's timers adds them too", async () => {
  const { panel, zone, records, show } = await withServers()
  accepted(await panel.patch(zone, { ttl: 300 }))
  expect(await occurred(panel)).toMatchObject({ events: ['dns.record.created', 'dns.record.created', 'job.completed'] })
  expect(addresses(await records())).toHaveLength(2)
  expect((await show()).nameservers).toEqual(servers)
})

test('a zone keeps its name servers while one of the new ones cannot have an address in it', async () => {
  const { panel, add, find, show, zone } = await withServers()
  const { nameservers } = await show()
  accepted(await add('ns1', 'CNAME', 'elsewhere.example'))
  expect((await show()).nameservers).toEqual(nameservers)
  accepted(await panel.delete(`${zone}/records/${(await find('ns1', 'CNAME')).id}`))
  expect((await show()).nameservers).toEqual(servers)
})

test('the last address of a name server of the zone cannot be removed', async () => {
  const { panel, add, change, find, load, zone } = await withServers()
  accepted(await add('q', 'A', '192.0.2.9'))
  await occurred(panel)
  const { id } = await find('ns1', 'A')
  expect((await panel.delete(`${zone}/records/${id}`)).body).toMatchObject({
    status: 409,
    detail: 'ns1.rita.example is a name server of the zone, which needs its address.',
  })
  expect(problem(await panel.patch(`${zone}/records/${id}`, { name: 'ns3' }))).toEqual([409, 'in-use'])
  expect(problem(await change({ delete: [id], create: [{ name: 'ns1', type: 'CNAME', value: 'x.example' }] }))).toEqual(
    [409, 'in-use'],
  )
  expect(problem(await load('@ A 192.0.2.1\n', { mode: 'replace' }))).toEqual([400, 'validation', 'zone_file'])
  expect(await occurred(panel)).toEqual(nothing)
  accepted(await add('*', 'A', '192.0.2.8'))
  accepted(await panel.delete(`${zone}/records/${id}`))
})

test("the server's own name inside a zone keeps its address", async () => {
  const { panel, find, zone } = await withZone({ hostname: 'panel.alice.example' })
  const { id } = await find('panel', 'A')
  expect(problem(await panel.delete(`${zone}/records/${id}`))).toEqual([409, 'in-use'])
})
