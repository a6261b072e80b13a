import { describe, expect, test } from 'vitest'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { Browser } from './browser.ts'

const password = 'correct horse battery'

async function withRita(acl: string[] = ['all']): Promise<{ panel: TestPanel; id: string; browser: Browser }> {
  const panel = await startPanel()
  const { id } = await panel.account('rita', { password })
  await panel.post('/resellers', { account_id: id, acl })
  const browser = new Browser(panel)
  expect((await browser.signIn('rita', password, 'admin')).status).toBe(200)
  return { panel, id, browser }
}

const openLink = async (panel: TestPanel, made: Json): Promise<Browser> => {
  const browser = new Browser(panel)
  expect((await browser.get(made.url)).status).toBe(302)
  return browser
}

describe('reseller that loses reselling', () => {
  test('signs the reseller out of the admin panel and ends its tokens, but keeps it a customer', async () => {
    const { panel, id, browser } = await withRita()
    const { secret } = (await browser.post('/tokens', { name: 'billing', scopes: ['full-access'] })).body
    const customer = new Browser(panel)
    await customer.signIn('rita', password)
    const link = (await panel.post(`/accounts/${id}/sso`, { panel: 'admin' })).body
    expect((await panel.delete(`/resellers/${id}`)).status).toBe(204)
    expect((await browser.get('/accounts')).code).toBe('unauthenticated')
    expect((await browser.get('/auth/session')).body.authenticated).toBe(false)
    expect((await panel.get('/accounts', { token: secret })).code).toBe('unauthenticated')
    expect((await new Browser(panel).get(link.url)).status).toBe(401)
    expect((await new Browser(panel).signIn('rita', password, 'admin')).code).toBe('unauthenticated')
    expect((await customer.get(`/accounts/${id}`)).body.username).toBe('rita')
  })

  test('does not revive old sessions and tokens when it becomes a reseller again', async () => {
    const { panel, id, browser } = await withRita()
    const { secret } = (await browser.post('/tokens', { name: 'billing', scopes: ['full-access'] })).body
    await panel.delete(`/resellers/${id}`)
    await panel.post('/resellers', { account_id: id, acl: ['all'] })
    expect((await browser.get('/accounts')).status).toBe(401)
    expect((await panel.get('/accounts', { token: secret })).status).toBe(401)
  })
})

describe('account that is terminated', () => {
  test('has no session, token or link once the termination is accepted', async () => {
    const { panel, browser } = await withRita()
    const made = await browser.post('/accounts', { username: 'alice', domain: 'alice.example', password })
    const { id } = made.body.account
    await panel.settle()
    const customer = new Browser(panel)
    await customer.signIn('alice', password)
    const token = await panel.token(['full-access'], { account: id })
    const links = [await browser.post(`/accounts/${id}/sso`), await browser.post(`/accounts/${id}/login-as`)]
    const acting = await openLink(panel, (await browser.post(`/accounts/${id}/login-as`)).body)
    expect((await browser.delete(`/accounts/${id}?confirm=alice`)).status).toBe(202)
    for (const one of [customer, acting]) expect((await one.get(`/accounts/${id}`)).code).toBe('unauthenticated')
    expect((await panel.get(`/accounts/${id}`, { token })).code).toBe('unauthenticated')
    for (const { body } of links) expect((await new Browser(panel).get(body.url)).status).toBe(401)
    expect((await new Browser(panel).signIn('alice', password)).code).toBe('unauthenticated')
    await panel.settle()
    await panel.account('alice', { password: 'of somebody else' })
    expect((await customer.get('/user/auth/session')).body.authenticated).toBe(false)
    expect((await new Browser(panel).signIn('alice', password)).code).toBe('unauthenticated')
  })
})

describe('suspended user', () => {
  test('reports the suspension on every call but signing out', async () => {
    const { panel, id, browser } = await withRita()
    const customer = new Browser(panel)
    await customer.signIn('rita', password)
    await panel.post(`/resellers/${id}/suspend`, { accounts: false })
    expect((await browser.get('/accounts')).code).toBe('account-suspended')
    expect((await customer.get(`/accounts/${id}`)).status).toBe(200)
    expect((await browser.post('/auth/logout')).status).toBe(204)
    await panel.post(`/accounts/${id}/suspend`, {})
    expect((await customer.get(`/accounts/${id}`)).code).toBe('account-suspended')
    expect((await customer.get('/user/auth/sessions')).code).toBe('account-suspended')
    expect((await customer.post('/user/auth/logout')).status).toBe(204)
  })
})

describe('session of a reseller as its customer', () => {
  async function acting() {
    const { panel, id, browser } = await withRita(['create-acct', 'create-user-session'])
    const made = await browser.post('/accounts', { username: 'alice', domain: 'alice.example', password })
    const alice = made.body.account.id
    await panel.settle()
    const as = await openLink(panel, (await browser.post(`/accounts/${alice}/login-as`)).body)
    expect((await as.get(`/accounts/${alice}`)).status).toBe(200)
    return { panel, id, alice, as }
  }

  test('ends the session with the privilege, and revives it with it', async () => {
    const { panel, id, alice, as } = await acting()
    await panel.put(`/resellers/${id}/acl`, { acl: ['create-acct'] })
    expect((await as.get(`/accounts/${alice}`)).code).toBe('unauthenticated')
    expect((await as.get('/user/auth/session')).body.authenticated).toBe(false)
    await panel.put(`/resellers/${id}/acl`, { acl: ['all'] })
    expect((await as.get(`/accounts/${alice}`)).status).toBe(200)
  })

  test('ends the session while the reseller is suspended', async () => {
    const { panel, id, alice, as } = await acting()
    await panel.post(`/resellers/${id}/suspend`, { accounts: false })
    expect((await as.get(`/accounts/${alice}`)).code).toBe('unauthenticated')
  })

  test('ends the session when either changes the password', async () => {
    const { panel, alice, as } = await acting()
    await panel.post(`/accounts/${alice}/password`, { new_password: 'a new password' })
    expect((await as.get(`/accounts/${alice}`)).code).toBe('unauthenticated')
    const again = await acting()
    await again.panel.post(`/accounts/${again.id}/password`, { new_password: 'a new password' })
    expect((await again.as.get(`/accounts/${again.alice}`)).code).toBe('unauthenticated')
  })
})

describe('number of sessions', { timeout: 60_000 }, () => {
  const limit = 50

  async function signedIn(panel: TestPanel, count: number): Promise<Browser[]> {
    const all: Browser[] = []
    for (let n = 0; n < count; n++) {
      const browser = new Browser(panel)
      expect((await browser.signIn('alice', password)).status).toBe(200)
      all.push(browser)
    }
    return all
  }
  const isIn = async (browser: Browser) => (await browser.get('/user/auth/session')).body.authenticated

  test('ends the oldest sessions beyond the limit, and no others', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice', { password })
    await panel.account('bob', { password })
    const bob = new Browser(panel)
    await bob.signIn('bob', password)
    const acting = await openLink(panel, (await panel.post(`/accounts/${id}/login-as`)).body)
    const all = await signedIn(panel, limit)
    expect(await Promise.all(all.map(isIn))).not.toContain(false)
    await signedIn(panel, 2)
    expect(await Promise.all(all.map(isIn))).toEqual([false, false, ...Array(limit - 2).fill(true)])
    expect([await isIn(bob), await isIn(acting)]).toEqual([true, true])
  })

  test('sessions of administrators acting as an account end none of its own', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice', { password })
    const [own] = await signedIn(panel, 1)
    const links = async () => openLink(panel, (await panel.post(`/accounts/${id}/login-as`)).body)
    const first = await links()
    for (let n = 0; n < limit; n++) await links()
    expect([await isIn(own!), await isIn(first)]).toEqual([true, false])
  })

  test('a session that was left idle counts no more', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice', { password })
    const [own] = await signedIn(panel, limit)
    for (let minutes = 0; minutes < 65; minutes += 5) {
      await panel.clock.advance(5 * 60_000)
      expect((await own!.get(`/accounts/${id}`)).status).toBe(200)
    }
    await signedIn(panel, limit - 1)
    expect(await isIn(own!)).toBe(true)
  })
})
