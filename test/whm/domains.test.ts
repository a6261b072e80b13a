import { expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { resellerToken } from '../world.ts'
import { Front, startFront } from './front.ts'

test('get_domain_info lists domains of every kind, and none of a terminating account', async () => {
  const front = await startFront()
  const { panel } = front
  const { id } = await panel.account('bob')
  for (const body of [
    { name: 'shop.bob.example' },
    { name: 'more.example' },
    { name: 'alias.example', kind: 'parked' },
  ])
    expect((await panel.post(`/accounts/${id}/domains`, body)).status).toBe(202)
  await panel.account('gone')
  await panel.settle()
  await front.ok('removeacct', { user: 'gone' })
  const { domains } = await front.ok('get_domain_info')
  expect(domains.toSorted((a: { domain: string }, b: { domain: string }) => (a.domain < b.domain ? -1 : 1))).toEqual([
    { domain: 'alias.example', user: 'bob', domain_type: 'parked' },
    { domain: 'bob.example', user: 'bob', domain_type: 'main' },
    { domain: 'more.example', user: 'bob', domain_type: 'addon' },
    { domain: 'shop.bob.example', user: 'bob', domain_type: 'sub' },
  ])
})

const nameservers = (data: Record<string, string>) =>
  ['nameserver', 'nameserver2', 'nameserver3', 'nameserver4'].map((place) => data[place])

test("createacct names the nameservers of the main domain's zone", async () => {
  const front = await startFront()
  const data = await front.ok('createacct', { username: 'bob', domain: 'bob.example' })
  const { panel } = front
  const { items } = (await panel.get('/accounts')).body
  const zones = (await panel.get(`/accounts/${items[0].id}/dns/zones`)).body.items
  expect(zones[0].nameservers.length).toBeGreaterThan(0)
  expect(nameservers(data)).toEqual([...zones[0].nameservers, '', '', '', ''].slice(0, 4))
})

test('names no nameservers if the caller may not read the zone', async () => {
  const panel = await startPanel()
  const token = await resellerToken(panel, (await panel.account('rita')).id, ['create-acct'])
  const data = await new Front(panel, token).ok('createacct', { username: 'bob', domain: 'bob.example' })
  expect(nameservers(data)).toEqual(['', '', '', ''])
})
