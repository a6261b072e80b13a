import { expect, test } from 'vitest'
import { startFront } from './front.ts'

test('get_domain_info names the domains of every kind, and none of an account on its way out', async () => {
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
