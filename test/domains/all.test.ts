import { describe, expect, test } from 'vitest'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { resellerToken } from '../world.ts'
import { domainsIn, problem } from './fixtures.ts'

const list = (panel: TestPanel, query = '', token?: string) =>
  panel.get(`/domains?${query}`, token === undefined ? {} : { token })

const names = async (panel: TestPanel, query = '', token?: string): Promise<string[]> => {
  const { status, body } = await list(panel, query, token)
  expect(status, JSON.stringify(body)).toBe(200)
  return body.items.map(({ name }: Json) => name)
}

/** Alice has three domains, and bob one. */
async function withTwo() {
  const panel = await startPanel()
  const [alice, bob] = [await panel.account('alice'), await panel.account('bob')]
  const { domain } = domainsIn(panel, alice.id)
  await domain('shop.example')
  await domain('blog.shop.example')
  return { panel, alice, bob }
}

describe('listAllDomains', () => {
  test('lists the domains of all accounts in order of creation, with their owners', async () => {
    const { panel, alice } = await withTwo()
    expect(await names(panel)).toEqual(['alice.example', 'bob.example', 'shop.example', 'blog.shop.example'])
    const { items, total } = (await list(panel, 'q=blog')).body
    const { id: own } = items[0]
    expect(total).toBe(1)
    expect(items[0]).toEqual({
      ...(await panel.get(`/accounts/${alice.id}/domains/${own}`)).body,
      username: 'alice',
      owner_id: alice.owner_id,
    })
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })

  test('filters by kind, status, account, owner and part of the name', async () => {
    const { panel, alice, bob } = await withTwo()
    const rita = await panel.account('rita', { make_reseller: true })
    await panel.account('carol', { owner_id: rita.id })
    expect(await names(panel, 'kind=sub')).toEqual(['blog.shop.example'])
    expect(await names(panel, `account_id=${bob.id}`)).toEqual(['bob.example'])
    expect(await names(panel, `owner_id=${rita.id}`)).toEqual(['carol.example'])
    expect(await names(panel, `owner_id=${alice.id}`)).toEqual([])
    expect(await names(panel, 'q=SHOP.example')).toEqual(['shop.example', 'blog.shop.example'])
    expect(await names(panel, 'q=shop&kind=addon')).toEqual(['shop.example'])
    expect(await names(panel, 'status=provisioning')).toEqual([])
    const { path } = domainsIn(panel, alice.id)
    const waiting = (await panel.post(path, { name: 'new.example' })).body.domain
    expect(await names(panel, 'status=provisioning')).toEqual(['new.example'])
    await panel.settle()
    await panel.delete(`${path}/${waiting.id}`)
    expect(await names(panel, 'status=deleting')).toEqual(['new.example'])
    await panel.settle()
    expect(await names(panel, 'q=new')).toEqual([])
  })

  test('continues after a domain in either order, and pages do not overlap', async () => {
    const { panel } = await withTwo()
    const { items } = (await list(panel, 'per_page=2')).body
    expect(await names(panel, `after=${items[1].id}`)).toEqual(['shop.example', 'blog.shop.example'])
    expect(await names(panel, `after=${items[1].id}&order=desc`)).toEqual(['alice.example'])
    expect(await names(panel, 'per_page=3&page=2')).toEqual(['blog.shop.example'])
    expect(await names(panel, 'sort=name&per_page=2')).toEqual(['alice.example', 'blog.shop.example'])
    expect(await names(panel, 'sort=name&after=blog.shop.example')).toEqual(['bob.example', 'shop.example'])
    expect(await names(panel, 'sort=name&order=desc&after=bob.example')).toEqual(['blog.shop.example', 'alice.example'])
    expect((await list(panel, 'sort=name&after=blog.shop.example')).body.total).toBe(4)
    expect(problem(await list(panel, 'after=a&page=2'))).toEqual([400, 'validation', 'after'])
  })

  test('takes hostile text literally', async () => {
    const { panel } = await withTwo()
    for (const text of ['%', '_', "' OR 1=1 --", 'shop\0', '\0', '*', '"><img src=x>', '\u202e'])
      expect((await list(panel, `q=${encodeURIComponent(text)}`)).body, text).toEqual({ items: [], total: 0 })
    for (const field of ['kind', 'status', 'account_id', 'owner_id', 'sort', 'nothing'])
      expect(problem(await list(panel, `${field}=${encodeURIComponent("' OR 1=1 --")}`)), field).toEqual([
        400,
        'validation',
        field,
      ])
  })

  test('shows a reseller the domains of its own accounts, whatever it asks for', async () => {
    const { panel, alice } = await withTwo()
    const rita = await panel.account('rita')
    await panel.account('carol', { owner_id: (await makeReseller(panel, rita.id)).id })
    const token = await resellerToken(panel, rita.id, ['list-accts'])
    expect(await names(panel, '', token)).toEqual(['carol.example'])
    expect((await list(panel, '', token)).body.total).toBe(1)
    expect(await names(panel, `account_id=${alice.id}`, token)).toEqual([])
    expect(await names(panel, `owner_id=${alice.owner_id}`, token)).toEqual([])
    expect(await names(panel, 'q=shop', token)).toEqual([])
    const other = await resellerToken(panel, alice.id, ['create-acct'])
    expect(problem(await list(panel, '', other))).toEqual([403, 'forbidden'])
  })
})

const makeReseller = async (panel: TestPanel, account_id: string): Promise<Json> =>
  (await panel.post('/resellers', { account_id })).body
