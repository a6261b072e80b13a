import { describe, expect, test } from 'vitest'
import { type Json, startPanel } from '../harness.ts'
import { makeWorld } from '../world.ts'

describe('the audit trail', () => {
  test('has one row for every change, and none for what was refused or only read', async () => {
    const panel = await startPanel()
    const entries = async () => (await panel.get('/audit')).body.items.map((entry: Json) => entry.operation)
    const alice = await panel.account('alice')
    const plan = (await panel.post('/packages', { name: 'small' })).body
    const list = (await panel.post('/feature-lists', { name: 'basic' })).body
    const ip = (await panel.post('/ips', { address: '192.0.2.9' })).body
    const token = (await panel.post('/tokens', { name: 'x', scopes: ['full-access'] })).body.token
    const own = (await panel.post(`/accounts/${alice.id}/tokens`, { name: 'y', scopes: ['full-access'] })).body.token
    await panel.patch(`/accounts/${alice.id}`, { theme: 'dark' })
    await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' })
    await panel.post(`/accounts/${alice.id}/unsuspend`)
    await panel.put(`/accounts/${alice.id}/package`, { package_id: plan.id })
    await panel.post(`/accounts/${alice.id}/password`, { new_password: 'another secret' })
    await panel.patch(`/packages/${plan.id}`, { max_sql: 1 })
    await panel.patch(`/feature-lists/${list.id}`, { features: { cron: false } })
    await panel.delete(`/feature-lists/${list.id}`)
    await panel.delete(`/ips/${ip.id}`)
    await panel.delete(`/tokens/${token.id}`)
    await panel.delete(`/accounts/${alice.id}/tokens/${own.id}`)
    await panel.delete(`/accounts/${alice.id}?confirm=alice`)
    await panel.settle()
    await panel.delete(`/packages/${plan.id}`)
    await panel.delete(`/packages/${plan.id}`)
    await panel.post('/packages', { name: '' })
    expect(await entries()).toEqual([
      'createAccount',
      'createPackage',
      'createFeatureList',
      'createIp',
      'createToken',
      'createTokenForAccount',
      'updateAccount',
      'suspendAccount',
      'unsuspendAccount',
      'changeAccountPackage',
      'changeAccountPassword',
      'updatePackage',
      'updateFeatureList',
      'deleteFeatureList',
      'deleteIp',
      'revokeToken',
      'revokeTokenForAccount',
      'terminateAccount',
      'deletePackage',
    ])
  })
  test('says who, by which token, from where, in which request, and what changed', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const made = (await panel.post('/tokens', { name: 'billing', scopes: ['accounts:write'] })).body
    const reply = await panel.patch(
      `/accounts/${alice.id}`,
      { max_sql: 3 },
      { token: made.secret, from: '198.51.100.4' },
    )
    const [entry] = (await panel.get('/audit?operation=updateAccount')).body.items
    expect(entry).toEqual({
      id: expect.any(String),
      at: panel.clock.now(),
      operation: 'updateAccount',
      actor: { type: 'root', id: alice.owner_id, name: 'root' },
      via: 'api',
      token: { id: made.token.id, name: 'billing' },
      address: '198.51.100.4',
      request_id: reply.headers.get('x-request-id'),
      account_id: alice.id,
      object_id: alice.id,
      before: { max_sql: null },
      after: { max_sql: 3 },
    })
  })
  test('is append-only, for whoever reaches the store', async () => {
    const panel = await startPanel()
    await panel.post('/packages', { name: 'small' })
    for (const text of ["UPDATE audit SET actor_name = 'nobody'", 'DELETE FROM audit']) {
      await expect(panel.store.change(() => void panel.store.sqlite.exec(text))).rejects.toThrow('append-only')
    }
    expect((await panel.get('/audit')).body).toMatchObject({ total: 1, items: [{ actor: { name: 'root' } }] })
  })
  test('can be narrowed by operation, actor, account and time', async () => {
    const panel = await startPanel()
    const start = panel.clock.now()
    const alice = await panel.account('alice')
    panel.clock.jump(1000)
    await panel.post('/packages', { name: 'small' })
    const found = async (query: string) =>
      (await panel.get(`/audit?${query}`)).body.items.map((entry: Json) => entry.operation)
    expect(await found(`account_id=${alice.id}`)).toEqual(['createAccount'])
    expect(await found(`actor_id=${alice.owner_id}`)).toEqual(['createAccount', 'createPackage'])
    expect(await found(`actor_id=${alice.id}`)).toEqual([])
    expect(await found(`since=${start + 1000}`)).toEqual(['createPackage'])
    expect(await found(`until=${start + 1000}`)).toEqual(['createAccount'])
  })
  test("of an account is that account's, for its tokens with the area logs", async () => {
    const panel = await startPanel()
    const { alice, bob } = await makeWorld(panel)
    const token = await panel.token(['logs:read'], { account: alice.id })
    const { body } = await panel.get(`/accounts/${alice.id}/audit`, { token })
    expect(body.total).toBeGreaterThan(0)
    for (const entry of body.items) expect(entry.account_id).toBe(alice.id)
    expect((await panel.get(`/accounts/${bob.id}/audit`, { token })).code).toBe('token-scope')
  })
})
