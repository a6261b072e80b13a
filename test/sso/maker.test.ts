import { describe, expect, test } from 'vitest'
import { startPanel, type TestPanel } from '../harness.ts'
import { Browser } from '../sessions/browser.ts'
import { resellerToken } from '../world.ts'

const password = 'correct horse battery'
const rights = ['create-acct', 'create-user-session', 'list-accts'] as const

const opened = async (panel: TestPanel, url: string): Promise<Browser> => {
  const browser = new Browser(panel)
  expect((await browser.get(url)).status).toBe(302)
  return browser
}

const isIn = async (browser: Browser, panel: 'auth' | 'user/auth' = 'user/auth'): Promise<boolean> =>
  (await browser.get(`/${panel}/session`)).body.authenticated

/** A reseller, its customer, and a session in that account from each kind of link. */
async function withRita() {
  const panel = await startPanel()
  const rita = await panel.account('rita', { password })
  const token = await resellerToken(panel, rita.id, [...rights])
  const { account } = (await panel.post('/accounts', { username: 'alice', domain: 'alice.example' }, { token })).body
  await panel.settle()
  const admin = new Browser(panel)
  await admin.signIn('rita', password, 'admin')
  const sso = await opened(panel, (await panel.post(`/accounts/${account.id}/sso`, {}, { token })).body.url)
  const acting = await opened(panel, (await admin.post(`/accounts/${account.id}/login-as`)).body.url)
  expect([await isIn(sso), await isIn(acting)]).toEqual([true, true])
  return { panel, rita: rita.id as string, alice: account.id as string, admin, sso, acting }
}

describe('session from a link whose creator loses access', () => {
  test("ends when the creator's token is revoked", async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice', { password })
    const { secret, token } = (await panel.post('/tokens', { name: 'billing', scopes: ['accounts:write'] })).body
    const browser = await opened(panel, (await panel.post(`/accounts/${id}/sso`, {}, { token: secret })).body.url)
    expect((await browser.get(`/accounts/${id}`)).status).toBe(200)
    await panel.delete(`/tokens/${token.id}`)
    expect((await browser.get(`/accounts/${id}`)).code).toBe('unauthenticated')
    expect(await isIn(browser)).toBe(false)
  })

  test("ends when the creator's token expires", async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const token = await panel.token(['accounts:write'], { expires_at: panel.clock.now() + 60_000 })
    const browser = await opened(panel, (await panel.post(`/accounts/${id}/sso`, {}, { token })).body.url)
    panel.clock.jump(59_999)
    expect(await isIn(browser)).toBe(true)
    panel.clock.jump(1)
    expect(await isIn(browser)).toBe(false)
  })

  test("ends when the creator's privilege is revoked", async () => {
    const { panel, rita, alice, sso, acting } = await withRita()
    await panel.put(`/resellers/${rita}/acl`, { acl: ['create-acct', 'list-accts'] })
    for (const one of [sso, acting]) {
      expect((await one.get(`/accounts/${alice}`)).code).toBe('unauthenticated')
      expect(await isIn(one)).toBe(false)
    }
  })

  test('ends when the creating reseller is suspended', async () => {
    const { panel, rita, sso, acting } = await withRita()
    await panel.post(`/resellers/${rita}/suspend`, { accounts: false })
    expect([await isIn(sso), await isIn(acting)]).toEqual([false, false])
  })

  test('ends with the first creator when a link was created in a session from a link', async () => {
    const { panel, rita, alice, admin } = await withRita()
    const { secret, token } = (await panel.post('/tokens', { name: 'billing', scopes: ['accounts:write'] })).body
    const url = (await panel.post(`/accounts/${rita}/sso`, { panel: 'admin' }, { token: secret })).body.url
    const asRita = await opened(panel, url)
    await asRita.get('/auth/session')
    const second = await opened(panel, (await asRita.post(`/accounts/${alice}/sso`)).body.url)
    const own = await opened(panel, (await admin.post(`/accounts/${alice}/sso`)).body.url)
    expect([await isIn(asRita, 'auth'), await isIn(second), await isIn(own)]).toEqual([true, true, true])
    await panel.delete(`/tokens/${token.id}`)
    expect([await isIn(asRita, 'auth'), await isIn(second), await isIn(own)]).toEqual([false, false, true])
  })

  test('ends when the session that created the link was idle for an hour', async () => {
    const { panel, rita, alice } = await withRita()
    const url = (await panel.post(`/accounts/${rita}/sso`, { panel: 'admin' })).body.url
    const asRita = await opened(panel, url)
    await asRita.get('/auth/session')
    const second = await opened(panel, (await asRita.post(`/accounts/${alice}/sso`)).body.url)
    panel.clock.jump(45 * 60_000)
    expect((await second.get(`/accounts/${alice}`)).status).toBe(200)
    panel.clock.jump(15 * 60_000)
    expect([await isIn(asRita, 'auth'), await isIn(second)]).toEqual([false, false])
  })
})

test("changing the creator's password ends its own sessions, and no customer's", async () => {
  const { panel, rita, admin, sso, acting } = await withRita()
  await panel.post(`/accounts/${rita}/password`, { new_password: 'a new password' })
  expect([await isIn(admin, 'auth'), await isIn(acting), await isIn(sso)]).toEqual([false, false, true])
})
