import { describe, expect, test } from 'vitest'
import { type Json, startPanel } from '../harness.ts'
import { Browser } from '../sessions/browser.ts'
import { makeWorld, resellerToken, signIn } from '../world.ts'

describe('audit trail', () => {
  test('has one row for every change, and none for refused or read-only requests', async () => {
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
  test('records who, by which token, from where, in which request, and what changed', async () => {
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
      username: 'alice',
      object_id: alice.id,
      before: { max_sql: null },
      after: { max_sql: 3 },
    })
  })
  test('refuses every change of an audit entry, even with direct access to the store', async () => {
    const panel = await startPanel()
    await panel.post('/packages', { name: 'small' })
    for (const text of ["UPDATE audit SET actor_name = 'nobody'", 'DELETE FROM audit']) {
      await expect(panel.store.change(() => void panel.store.sqlite.exec(text))).rejects.toThrow('append-only')
    }
    expect((await panel.get('/audit')).body).toMatchObject({ total: 1, items: [{ actor: { name: 'root' } }] })
  })
  test('filters the audit trail by operation, actor, account and time', async () => {
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
  test("shows an account's audit trail only to its own tokens with the area logs", async () => {
    const panel = await startPanel()
    const { alice, bob } = await makeWorld(panel)
    const token = await panel.token(['logs:read'], { account: alice.id })
    const { body } = await panel.get(`/accounts/${alice.id}/audit`, { token })
    expect(body.total).toBeGreaterThan(0)
    for (const entry of body.items) expect(entry.account_id).toBe(alice.id)
    expect((await panel.get(`/accounts/${bob.id}/audit`, { token })).code).toBe('token-scope')
  })
  test("hides an administrator's address and token from those below it", async () => {
    const panel = await startPanel()
    const rita = await panel.account('rita', { make_reseller: true })
    const alice = await panel.account('alice', { owner_id: rita.id })
    const path = `/accounts/${alice.id}`
    const reseller = await resellerToken(panel, rita.id, ['edit-account'])
    const own = await panel.token(['full-access'], { account: alice.id, name: 'own' })
    const billing = await panel.token(['accounts:write'], { name: 'billing-secret-name' })
    panel.clock.jump(1000)
    const since = panel.clock.now()
    await panel.patch(path, { theme: 'dark' }, { token: billing, from: '198.51.100.1' })
    await panel.patch(path, { theme: 'light' }, { token: reseller, from: '198.51.100.2' })
    await panel.patch(path, { theme: 'dark' }, { token: own, from: '198.51.100.3' })
    const seen = async (token?: string) => {
      const { body } = await panel.get(`${path}/audit?since=${since}`, token ? { token } : {})
      return body.items.map(({ actor, token, address }: Json) => [actor.name, token?.name, address])
    }
    const admin = ['root', 'billing-secret-name', '198.51.100.1']
    const middle = ['rita', 'of a reseller', '198.51.100.2']
    const customer = ['alice', 'own', '198.51.100.3']
    const hidden = (name: string) => [name, undefined, undefined]
    expect(await seen()).toEqual([admin, middle, customer])
    expect(await seen(reseller)).toEqual([hidden('root'), middle, customer])
    expect(await seen(own)).toEqual([hidden('root'), hidden('rita'), customer])
  })
  test('hides the address of an administrator signed in as the customer', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice', { password: 'correct horse battery' })
    const { url } = (await panel.post(`/accounts/${alice.id}/login-as`)).body
    const admin = new Browser(panel, '203.0.113.5')
    await admin.get(url)
    await admin.get('/user/auth/session')
    expect((await admin.patch(`/accounts/${alice.id}`, { theme: 'dark' })).status).toBe(202)
    const headers = await signIn(panel, 'alice', 'correct horse battery')
    const { items } = (
      await panel.get(`/accounts/${alice.id}/audit?operation=updateAccount`, { headers, from: '192.0.2.1' })
    ).body
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({ actor: { name: 'alice' }, acting_as: { name: 'root' } })
    expect(items[0]).not.toHaveProperty('address')
  })
  test('names the account as the change left it, and older entries show its current name', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    await panel.patch(`/accounts/${alice.id}`, { username: 'alicia' })
    await panel.settle()
    const names = async () => (await panel.get('/audit')).body.items.map(({ username }: Json) => username)
    expect(await names()).toEqual(['alice', 'alicia'])
    const old = panel.store.sqlite
    await panel.store.change(() => {
      old.exec('DROP TRIGGER audit_update')
      old.exec('UPDATE audit SET username = NULL')
    })
    expect(await names()).toEqual(['alicia', 'alicia'])
    await panel.delete(`/accounts/${alice.id}?confirm=alicia`)
    await panel.settle()
    expect(await names()).toEqual([undefined, undefined, 'alicia'])
  })
})
