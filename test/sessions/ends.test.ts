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
