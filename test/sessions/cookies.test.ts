import { generateSync } from 'otplib'
import { describe, expect, test } from 'vitest'
import { type Json, type Reply, startPanel, type TestPanel } from '../harness.ts'
import { Browser } from './browser.ts'

const password = 'correct horse battery'
const other = 'another good password'

async function withBoth(): Promise<{ panel: TestPanel; rita: Json; alice: Json }> {
  const panel = await startPanel()
  const rita = await panel.account('rita', { password })
  await panel.post('/resellers', { account_id: rita.id, acl: ['all'] })
  return { panel, rita, alice: await panel.account('alice', { password }) }
}

const who = async (browser: Browser): Promise<[string | undefined, string | undefined]> => [
  (await browser.get('/auth/session')).body.username,
  (await browser.get('/user/auth/session')).body.username,
]

const flags = (reply: Reply): string[] => reply.headers.getSetCookie().map((line) => line.replace(/=[\w-]{43};/, '=*;'))

describe('session cookie', () => {
  test('hides the cookie from scripts, plain HTTP and other sites, however the session started', async () => {
    const { panel, alice } = await withBoth()
    const rest = 'Path=/; HttpOnly; Secure; SameSite=Lax; Max-Age='
    const browser = new Browser(panel)
    expect(flags(await browser.signIn('rita', password, 'admin'))).toEqual([`panel_admin=*; ${rest}28800`])
    expect(flags(await browser.post('/auth/logout'))).toEqual([`panel_admin=; ${rest}0`])
    expect(flags(await browser.signIn('alice', password))).toEqual([`panel_user=*; ${rest}28800`])
    const { secret } = (await browser.post('/user/auth/totp/setup')).body
    const code = () => generateSync({ secret, epoch: Math.floor(panel.clock.now() / 1000) })
    await browser.post('/user/auth/totp/enable', { code: code() })
    expect(flags(await browser.post('/user/auth/logout'))).toEqual([`panel_user=; ${rest}0`])
    await panel.clock.advance(30_000)
    expect(flags(await browser.signIn('alice', password))).toEqual([`panel_user=*; ${rest}300`])
    const done = await browser.post('/user/auth/login/totp', { code: code() })
    expect(flags(done)).toEqual([`panel_user=*; ${rest}28800`])
    const { url } = (await panel.post(`/accounts/${alice.id}/sso`)).body
    expect(flags(await browser.get(url))).toEqual([`panel_user=*; ${rest}28800`])
  })

  test('never adopts a cookie set by someone else, by any way of signing in', async () => {
    const { panel, alice } = await withBoth()
    const planted = 'A'.repeat(43)
    const browser = new Browser(panel)
    browser.cookies.set('panel_user', planted)
    await browser.signIn('alice', password)
    const first = browser.cookies.get('panel_user')
    expect(first).not.toBe(planted)
    const { url } = (await panel.post(`/accounts/${alice.id}/sso`)).body
    await browser.get(url)
    expect([planted, first]).not.toContain(browser.cookies.get('panel_user'))
    const thief = new Browser(panel)
    thief.cookies.set('panel_user', planted)
    expect(await who(thief)).toEqual([undefined, undefined])
  })

  test("never signs in a victim with a cookie of an attacker's own session", async () => {
    const { panel, alice } = await withBoth()
    await panel.account('mallory', { password: other })
    const mallory = new Browser(panel)
    await mallory.signIn('mallory', other)
    const victim = new Browser(panel)
    victim.cookies.set('panel_user', mallory.cookies.get('panel_user')!)
    await victim.signIn('alice', password)
    expect(victim.cookies.get('panel_user')).not.toBe(mallory.cookies.get('panel_user'))
    expect((await mallory.get(`/accounts/${alice.id}`)).status).toBe(401)
    expect(await who(victim)).toEqual([undefined, 'alice'])
  })

  test('refuses a cookie that waited for a code once the code was accepted', async () => {
    const { panel, alice } = await withBoth()
    const browser = new Browser(panel)
    await browser.signIn('alice', password)
    const { secret } = (await browser.post('/user/auth/totp/setup')).body
    const code = () => generateSync({ secret, epoch: Math.floor(panel.clock.now() / 1000) })
    await browser.post('/user/auth/totp/enable', { code: code() })
    await panel.clock.advance(30_000)
    const waiting = new Browser(panel)
    await waiting.signIn('alice', password)
    const copy = new Browser(panel)
    copy.cookies.set('panel_user', waiting.cookies.get('panel_user')!)
    expect((await waiting.post('/user/auth/login/totp', { code: code() })).status).toBe(200)
    expect((await copy.get(`/accounts/${alice.id}`)).status).toBe(401)
    await panel.clock.advance(30_000)
    expect((await copy.post('/user/auth/login/totp', { code: code() })).status).toBe(401)
  })

  test('accepts a cookie that waits for a code for five minutes', async () => {
    const { panel } = await withBoth()
    const browser = new Browser(panel)
    await browser.signIn('alice', password)
    const { secret } = (await browser.post('/user/auth/totp/setup')).body
    const code = () => generateSync({ secret, epoch: Math.floor(panel.clock.now() / 1000) })
    await browser.post('/user/auth/totp/enable', { code: code() })
    const late = new Browser(panel)
    await late.signIn('alice', password)
    await panel.clock.advance(5 * 60_000)
    expect((await late.post('/user/auth/login/totp', { code: code() })).status).toBe(401)
  })

  test('accepts a cookie in its panel only: under the other name it is invalid', async () => {
    const { panel, rita } = await withBoth()
    const admin = new Browser(panel)
    await admin.signIn('rita', password, 'admin')
    const user = new Browser(panel)
    await user.signIn('rita', password)
    const swapped = new Browser(panel)
    swapped.cookies.set('panel_user', admin.cookies.get('panel_admin')!)
    swapped.cookies.set('panel_admin', user.cookies.get('panel_user')!)
    expect(await who(swapped)).toEqual([undefined, undefined])
    for (const csrf of [admin.csrf, user.csrf]) {
      swapped.csrf = csrf
      expect((await swapped.get('/accounts')).status).toBe(401)
      expect((await swapped.patch(`/accounts/${rita.id}`, { theme: 'dark' })).status).toBe(401)
      expect((await swapped.get('/auth/sessions')).status).toBe(401)
      expect((await swapped.get('/user/auth/sessions')).status).toBe(401)
    }
  })

  test('identifies no one by an invalid cookie, whatever it contains', async () => {
    const { panel } = await withBoth()
    const odd = [
      '',
      'x',
      'A'.repeat(42),
      'A'.repeat(44),
      'A'.repeat(43),
      "' OR 1=1 --",
      '%00',
      'ä'.repeat(43),
      '=;=',
      '"',
    ]
    for (const value of odd) {
      const headers = { Cookie: `panel_admin=${encodeURI(value)}; panel_user=${encodeURI(value)}` }
      const reply = await panel.get('/accounts', { from: '198.51.100.7', headers })
      expect([value, reply.code]).toEqual([value, 'unauthenticated'])
    }
  })

  test('identifies no one by a cookie sent twice, as a site on another port may cause', async () => {
    const { panel, alice } = await withBoth()
    await panel.account('mallory', { password: other })
    const [victim, mallory] = [new Browser(panel), new Browser(panel)]
    await victim.signIn('alice', password)
    await mallory.signIn('mallory', other)
    const [own, planted] = [victim, mallory].map(({ cookies }) => `panel_user=${cookies.get('panel_user')}`)
    const ask = async (Cookie: string) =>
      (await panel.get(`/accounts/${alice.id}`, { from: '198.51.100.7', headers: { Cookie } })).status
    expect([await ask(`${planted}; ${own}`), await ask(`${own}; ${planted}`)]).toEqual([401, 401])
    expect([await ask(`${own}`), await ask(`other=1; ${own};x_panel_user=2`)]).toEqual([200, 200])
  })

  test('refuses a cookie after sign-out, in its panel only', async () => {
    const { panel, rita } = await withBoth()
    const browser = new Browser(panel)
    await browser.signIn('rita', password, 'admin')
    const csrf = browser.csrf
    await browser.signIn('rita', password)
    const stored = new Map(browser.cookies)
    browser.csrf = csrf
    panel.forget()
    expect((await browser.post('/auth/logout')).status).toBe(204)
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
    browser.cookies.set('panel_admin', stored.get('panel_admin')!)
    expect((await browser.get('/accounts')).code).toBe('forbidden')
    expect(await who(browser)).toEqual([undefined, 'rita'])
    expect((await browser.get(`/accounts/${rita.id}`)).status).toBe(200)
    expect((await browser.post('/auth/logout')).status).toBe(401)
  })

  test('ends the earlier session of a browser that signs in again', async () => {
    const { panel, alice } = await withBoth()
    const browser = new Browser(panel)
    await browser.signIn('alice', password)
    const old = new Browser(panel)
    old.cookies.set('panel_user', browser.cookies.get('panel_user')!)
    await browser.signIn('alice', password)
    expect((await old.get(`/accounts/${alice.id}`)).status).toBe(401)
    expect((await browser.get('/user/auth/sessions')).body.items).toHaveLength(1)
  })
})

test('signing out everywhere ends every session but this one, in this panel', async () => {
  const { panel, rita } = await withBoth()
  const [current, there, user] = [new Browser(panel), new Browser(panel), new Browser(panel)]
  await current.signIn('rita', password, 'admin')
  await there.signIn('rita', password, 'admin')
  await user.signIn('rita', password)
  const { items } = (await current.get('/auth/sessions')).body
  expect(items.map(({ current }: Json) => current)).toEqual([true, false])
  panel.forget()
  expect((await current.delete('/auth/sessions')).status).toBe(204)
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
  expect((await there.get('/accounts')).status).toBe(401)
  expect((await current.get('/accounts')).status).toBe(200)
  expect((await user.get(`/accounts/${rita.id}`)).status).toBe(200)
  await there.signIn('rita', password, 'admin')
  const [, second] = (await current.get('/auth/sessions')).body.items
  expect((await user.delete(`/user/auth/sessions/${second.id}`)).code).toBe('not-found')
  expect((await current.delete(`/auth/sessions/${second.id}`)).status).toBe(204)
  expect((await current.delete(`/auth/sessions/${second.id}`)).code).toBe('not-found')
  expect((await there.get('/accounts')).status).toBe(401)
})

test('reading the session does not keep it alive', async () => {
  const { panel } = await withBoth()
  const browser = new Browser(panel)
  await browser.signIn('alice', password)
  for (let minute = 0; minute < 60; minute += 20) {
    await panel.clock.advance(20 * 60_000)
    await browser.get('/user/auth/session')
  }
  expect(await who(browser)).toEqual([undefined, undefined])
})

test('a session and its sign-in limits outlive a restart', async () => {
  const { panel, alice } = await withBoth()
  const browser = new Browser(panel)
  await browser.signIn('alice', password)
  const guesser = new Browser(panel, '203.0.113.5')
  for (let n = 0; n < 10; n++) expect((await guesser.signIn('alice', 'not the password')).status).toBe(401)
  await panel.restart()
  expect((await browser.get(`/accounts/${alice.id}`)).status).toBe(200)
  expect((await browser.patch(`/accounts/${alice.id}`, { theme: 'dark' })).status).toBe(202)
  expect((await guesser.signIn('alice', password)).code).toBe('rate-limited')
  await panel.restart()
  await panel.clock.advance(15 * 60_000)
  expect((await guesser.signIn('alice', password)).status).toBe(200)
})

test('sign-in limits count the clients of trusted proxies only', async () => {
  const panel = await startPanel({ trusts: (address) => address === '10.0.0.1' })
  await panel.account('alice', { password })
  const tryFrom = (from: string, forwarded: string, secret = 'not the password') =>
    panel.post(
      '/user/auth/login',
      { username: 'alice', password: secret },
      { from, headers: { 'X-Forwarded-For': forwarded } },
    )
  for (let n = 0; n < 10; n++) expect((await tryFrom('203.0.113.5', `198.51.100.${n}`)).status).toBe(401)
  expect((await tryFrom('203.0.113.5', '198.51.100.99')).status).toBe(429)
  for (let n = 0; n < 10; n++) await tryFrom('10.0.0.1', '203.0.113.6')
  expect((await tryFrom('10.0.0.1', '203.0.113.6', password)).status).toBe(429)
  expect((await tryFrom('10.0.0.1', '203.0.113.7', password)).status).toBe(200)
})

test('sign-in takes no Idempotency-Key: its response is for one browser', async () => {
  const { panel } = await withBoth()
  for (const path of ['/auth/login', '/user/auth/login', '/user/auth/login/totp']) {
    const body = path.endsWith('totp') ? { code: '123456' } : { username: 'alice', password }
    const reply = await panel.post(path, body, { from: '198.51.100.7', headers: { 'Idempotency-Key': 'once' } })
    expect([path, reply.code, Object.keys(reply.body.fields ?? {})]).toEqual([path, 'validation', ['Idempotency-Key']])
    expect(reply.headers.getSetCookie()).toEqual([])
  }
})

test(`the customer sees an administrator's "log in as" session, but not its address`, async () => {
  const { panel, alice } = await withBoth()
  const [admin, customer] = [new Browser(panel, '203.0.113.5'), new Browser(panel, '192.0.2.1')]
  await admin.get((await panel.post(`/accounts/${alice.id}/login-as`)).body.url)
  await customer.signIn('alice', password)
  const seen = async (browser: Browser) =>
    (await browser.get('/user/auth/sessions')).body.items.map(({ address }: Json) => address)
  expect(await seen(customer)).toEqual([undefined, '192.0.2.1'])
  expect(await seen(admin)).toEqual(['203.0.113.5', '192.0.2.1'])
})
