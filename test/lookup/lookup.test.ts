import { describe, expect, test } from 'vitest'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { resellerToken } from '../world.ts'

const found = (reply: { body: Json }): string[] => reply.body.items.map(({ kind, name }: Json) => `${kind} ${name}`)

const query = (fields: Record<string, string>): string => `/lookup?${new URLSearchParams(fields)}`

async function withTwo(): Promise<{ panel: TestPanel; alice: Json; bob: Json }> {
  const panel = await startPanel()
  const alice = await panel.account('alice')
  const bob = await panel.account('bob', { domain: 'alicia.example' })
  return { panel, alice, bob }
}

describe('lookup', () => {
  test('returns what has a name, and its owner', async () => {
    const { panel, alice } = await withTwo()
    expect((await panel.get(query({ name: 'alice' }))).body.items).toEqual([
      { kind: 'account', id: alice.id, name: 'alice', account_id: alice.id, username: 'alice' },
    ])
    const [main] = (await panel.get(`/accounts/${alice.id}/domains`)).body.items
    expect((await panel.get(query({ name: 'alice.example' }))).body.items).toEqual([
      { kind: 'domain', id: main.id, name: 'alice.example', account_id: alice.id, username: 'alice' },
      { kind: 'zone', id: main.zone_id, name: 'alice.example', account_id: alice.id, username: 'alice' },
    ])
    expect(found(await panel.get(query({ name: 'default' })))).toEqual(['package default'])
    expect(panel.events()).toEqual([])
  })

  test('finds packages with a token of that area alone, and everything else with one of accounts', async () => {
    const { panel } = await withTwo()
    const withScopes = async (scopes: string[]) => {
      const token = await panel.token(scopes, { name: scopes.join() })
      const names = await Promise.all(['default', 'alice'].map((name) => panel.get(query({ name }), { token })))
      return names.flatMap((reply) => found(reply))
    }
    expect(await withScopes(['packages:read'])).toEqual(['package default'])
    expect(await withScopes(['accounts:read'])).toEqual(['account alice'])
    expect(await withScopes(['accounts:read', 'packages:write'])).toEqual(['package default', 'account alice'])
  })

  test('accepts names as people spell them, complete and never in part', async () => {
    const { panel } = await withTwo()
    expect(found(await panel.get(query({ name: 'ALICE' })))).toEqual(['account alice'])
    expect(found(await panel.get(query({ name: 'Alice.Example' })))).toEqual([
      'domain alice.example',
      'zone alice.example',
    ])
    expect(found(await panel.get(query({ name: 'alic' })))).toEqual([])
    expect(found(await panel.get(query({ name: 'ali%' })))).toEqual([])
  })

  test('accepts a prefix of two or more characters', async () => {
    const { panel } = await withTwo()
    expect(found(await panel.get(query({ prefix: 'ali' })))).toEqual([
      'account alice',
      'domain alice.example',
      'domain alicia.example',
      'zone alice.example',
      'zone alicia.example',
    ])
    expect(found(await panel.get(query({ prefix: 'ali', kind: 'domain' })))).toHaveLength(2)
    expect((await panel.get(query({ prefix: 'a' }))).body.fields).toHaveProperty('prefix')
  })

  test('returns at most 20 that start alike', async () => {
    const panel = await startPanel()
    for (let n = 0; n < 22; n++) await panel.post('/accounts', { username: `many${n}`, domain: `d${n}.example` })
    await panel.settle()
    expect(found(await panel.get(query({ prefix: 'many' })))).toHaveLength(20)
  })

  test.each([
    [{}, 'name'],
    [{ name: 'a', prefix: 'ab' }, 'prefix'],
    [{ name: 'a', kind: 'toaster' }, 'kind'],
    [{ name: 'a', kind: 'constructor' }, 'kind'],
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(321) }, 'name'],
  ])('refuses %j', async (fields, field) => {
    const panel = await startPanel()
    const reply = await panel.get(query(fields as Record<string, string>))
    expect([reply.status, reply.code]).toEqual([400, 'validation'])
    expect(reply.body.fields).toHaveProperty(field)
  })

  test('shows a reseller its own, and domains only with list-accts', async () => {
    const { panel } = await withTwo()
    const token = await resellerToken(panel, (await panel.account('rita')).id, ['create-acct'])
    await panel.post('/accounts', { username: 'carol', domain: 'carol.example' }, { token })
    await panel.settle()
    const ask = async (name: string) => found(await panel.get(query({ name }), { token }))
    expect(await ask('carol')).toEqual(['account carol'])
    expect(await ask('carol.example')).toEqual([])
    expect(await ask('alice')).toEqual([])
    expect(await ask('alice.example')).toEqual([])
  })
})

describe('lookup below an account', () => {
  test("finds only the account's own", async () => {
    const { panel, alice } = await withTwo()
    const ask = async (name: string) =>
      found(await panel.get(`/accounts/${alice.id}/lookup?${new URLSearchParams({ name })}`))
    expect(await ask('alice.example')).toEqual(['domain alice.example', 'zone alice.example'])
    expect(await ask('alicia.example')).toEqual([])
    expect(await ask('default')).toEqual([])
  })

  test('shows a token domains, and otherwise what its areas may read', async () => {
    const { panel, alice, bob } = await withTwo()
    const token = await panel.token(['dns:read'], { account: alice.id })
    const ask = (id: string, prefix: string) => panel.get(`/accounts/${id}/lookup?prefix=${prefix}`, { token })
    expect(found(await ask(alice.id, 'ali'))).toEqual(['domain alice.example', 'zone alice.example'])
    const own = await panel.token(['account:read'], { account: alice.id })
    expect(found(await panel.get(`/accounts/${alice.id}/lookup?prefix=ali`, { token: own }))).toEqual([
      'account alice',
      'domain alice.example',
    ])
    expect((await ask(bob.id, 'ali')).code).toBe('token-scope')
  })
})
