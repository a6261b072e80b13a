import { expect, test } from 'vitest'
import { minute } from '../../src/shared/time.ts'
import { accepted, nothing, occurred, problem, withZone } from './fixtures.ts'

const isOfPrograms = ({ name }: { name: string }) => /^(?:autoconfig|autodiscover|_autodiscover\._tcp)$/.test(name)
const three = ['autoconfig A managed', 'autodiscover A managed', '_autodiscover._tcp SRV managed']

/** A zone, and what it has for mail programs. */
async function world() {
  const input = await withZone()
  const { panel, records, zone } = input
  const found = async () =>
    (await records())
      .filter(isOfPrograms)
      .map(({ name, type, managed }) => `${name} ${type} ${managed ? 'managed' : 'own'}`)
      .sort()
  const remove = async (name: string, type: string) =>
    panel.delete(`${zone}/records/${(await input.find(name, type)).id}`)
  await panel.settle()
  panel.forget()
  return { ...input, found, remove }
}

/** A zone as an earlier version left it, with what its owner has at `autodiscover`. */
async function former(value?: string) {
  const input = await world()
  const { panel, remove, add } = input
  accepted(await remove('autoconfig', 'A'))
  accepted(await remove('autodiscover', 'A'))
  if (value !== undefined) accepted(await add('autodiscover', 'CNAME', value))
  await panel.settle()
  panel.forget()
  const next = async () => {
    await panel.clock.advance(minute)
    return occurred(panel)
  }
  const set = () => panel.store.change(() => panel.store.sqlite.prepare('UPDATE dns_zones SET discovery = 0').run())
  return { ...input, next, set }
}

test('zones of earlier versions get the records of mail programs once', async () => {
  const { panel, remove, next, set, found, file } = await former()
  expect(await next()).toEqual(nothing)
  await set()
  expect(await next()).toEqual({
    events: [...Array(3).fill('dns.record.created'), 'job.completed'],
    jobs: ['dns.zone.update succeeded'],
  })
  expect(await found()).toEqual(three.toSorted())
  expect(file('alice.example')).toContain('_autodiscover._tcp IN SRV 0 0 443 autodiscover.alice.example.\n')
  accepted(await remove('autodiscover', 'A'))
  accepted(await remove('autoconfig', 'A'))
  await panel.settle()
  panel.forget()
  expect(await next()).toEqual(nothing)
  expect(await found()).toEqual([])
})

test('what the owner has at such a name stays, and no service points to it', async () => {
  const { next, set, found } = await former('autodiscover.outlook.com.')
  await set()
  expect((await next()).events).toEqual(['dns.record.created', 'job.completed'])
  expect(await found()).toEqual(['autoconfig A managed', 'autodiscover CNAME own'])
})

test('records of mail programs give way to what a caller brings', async () => {
  const { panel, add, found } = await world()
  const created = accepted(await add('autodiscover', 'CNAME', 'autodiscover.outlook.com.'))
  expect(created.record).toMatchObject({ name: 'autodiscover', type: 'CNAME', managed: false })
  expect(await occurred(panel)).toEqual({
    events: ['dns.record.deleted', 'dns.record.deleted', 'dns.record.created', 'job.completed'],
    jobs: ['dns.zone.update succeeded'],
  })
  expect(await found()).toEqual(['autoconfig A managed', 'autodiscover CNAME own'])
  panel.forget()
  accepted(await add('autoconfig', 'A', '203.0.113.7'))
  expect((await occurred(panel)).events).toEqual(['dns.record.deleted', 'dns.record.created', 'job.completed'])
  expect(await found()).toEqual(['autoconfig A own', 'autodiscover CNAME own'])
  expect(problem(await add('autoconfig', 'CNAME', 'elsewhere.example.'))).toEqual([409, 'exists', 'name'])
  expect(problem(await add('www', 'CNAME', 'elsewhere.example.'))).toEqual([409, 'exists', 'name'])
})

test('an equal record is there already, and other types stand beside', async () => {
  const { panel, add, found } = await world()
  expect(problem(await add('autoconfig', 'A', '192.0.2.2'))).toEqual([409, 'exists', 'value'])
  expect(await occurred(panel)).toEqual(nothing)
  accepted(await add('autodiscover', 'TXT', 'text'))
  expect(await found()).toEqual([...three, 'autodiscover TXT own'].sort())
})

test('the service goes with the address of its host, in a batch too, and a change that fails keeps all', async () => {
  const { panel, change, find, found, show } = await world()
  const before = await show()
  const { id } = await find('autodiscover', 'A')
  const create = [{ name: 'autodiscover', type: 'CNAME', value: 'a.example.' }]
  expect(problem(await change({ create: [...create, ...create] }))).toEqual([409, 'exists', 'create'])
  expect(problem(await change({ create, serial: before.serial - 1 }))[0]).toBe(409)
  expect([await show(), await found(), await occurred(panel)]).toEqual([before, three.toSorted(), nothing])
  const changed = accepted(await change({ delete: [id], create }))
  expect(changed.deleted).toHaveLength(2)
  expect(await found()).toEqual(['autoconfig A managed', 'autodiscover CNAME own'])
})

test('a managed address becomes the own one of a caller who changes it', async () => {
  const { panel, zone, find, found } = await world()
  const { id } = await find('autodiscover', 'A')
  accepted(await panel.patch(`${zone}/records/${id}`, { value: '203.0.113.7' }))
  expect(await found()).toEqual(['_autodiscover._tcp SRV managed', 'autoconfig A managed', 'autodiscover A own'])
})

test('an import brings its own, by merge and by replace; the rest stays', async () => {
  const { load, found } = await world()
  const merged = accepted(await load('autodiscover CNAME autodiscover.outlook.com.\n'))
  expect(merged).toMatchObject({ created: 1, deleted: 2 })
  expect(JSON.stringify(merged.warnings)).toContain('_autodiscover._tcp SRV')
  expect(await found()).toEqual(['autoconfig A managed', 'autodiscover CNAME own'])
})

test('a file with the address that is there keeps the service', async () => {
  const { load, found } = await world()
  accepted(await load('autodiscover A 192.0.2.2\nautoconfig CNAME elsewhere.example.\n'))
  expect(await found()).toEqual(['_autodiscover._tcp SRV managed', 'autoconfig CNAME own', 'autodiscover A managed'])
})

test('a subdomain of such a name leaves the record when it goes, and a reset brings all back', async () => {
  const { panel, zone, alice, found, add } = await world()
  const created = await panel.post(`/accounts/${alice.id}/domains`, { name: 'autoconfig.alice.example' })
  await panel.settle()
  accepted(await panel.delete(`/accounts/${alice.id}/domains/${created.body.domain.id}`))
  await panel.settle()
  expect(await found()).toEqual(three.toSorted())
  accepted(await add('autodiscover', 'CNAME', 'autodiscover.outlook.com.'))
  await panel.settle()
  accepted(await panel.post(`${zone}/reset`))
  expect(await found()).toEqual(three.toSorted())
})
