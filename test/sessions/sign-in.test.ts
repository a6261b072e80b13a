import { generateSync } from 'otplib'
import { describe, expect, test } from 'vitest'
import { turns } from '../clock.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { Browser } from './browser.ts'

const password = 'correct horse battery'

async function withAlice(): Promise<{ panel: TestPanel; browser: Browser; id: string }> {
  const panel = await startPanel()
  const alice = await panel.account('alice', { password })
  return { panel, browser: new Browser(panel), id: alice.id }
}

/** A sign-in from elsewhere whose head has arrived, and whose body is sent on demand; returns its status. */
function lateSignIn({ panel }: TestPanel, username: string): () => Promise<number> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
  const request = new Request('https://host.example:7711/api/v1/user/auth/login', {
    method: 'POST',
    body: readable,
    headers: { 'Content-Type': 'application/json' },
    duplex: 'half',
  } as RequestInit)
  const answer = panel.app.fetch(request, { address: '203.0.113.77' } as never)
  return async () => {
    const writer = writable.getWriter()
    await writer.write(new TextEncoder().encode(JSON.stringify({ username, password: 'not the password' })))
    await writer.close()
    return (await answer).status
  }
}

describe('customer who signs in', () => {
  test('signs in, sees the own account only, and signs out', async () => {
    const { panel, browser, id } = await withAlice()
    const bob = await panel.account('bob')
    const session = await browser.signIn('Alice', password)
    expect(session.status).toBe(200)
    expect(session.body).toMatchObject({
      authenticated: true,
      is_root: false,
      username: 'alice',
      role: 'customer',
      mfa_required: false,
      acting_as: false,
    })
    const [cookie] = session.headers.getSetCookie()
    expect(cookie).toMatch(/^panel_user=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=28800$/)
    expect((await browser.get(`/accounts/${id}`)).body.username).toBe('alice')
    expect((await browser.get(`/accounts/${bob.id}`)).code).toBe('not-found')
    expect((await browser.get('/accounts')).code).toBe('forbidden')
    expect((await browser.get('/user/auth/session')).body.csrf_token).toBe(session.body.csrf_token)
    expect((await browser.get('/auth/session')).body.authenticated).toBe(false)
    const cookies = new Map(browser.cookies)
    expect((await browser.post('/user/auth/logout')).status).toBe(204)
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    expect((await browser.get(`/accounts/${id}`)).code).toBe('unauthenticated')
  })

  test('gets the same refusal for a wrong password as for an unknown name', async () => {
    const { browser } = await withAlice()
    const wrong = await browser.signIn('alice', 'not the password')
    const unknown = await browser.signIn('nobody', 'not the password')
    expect([wrong.status, wrong.code, wrong.body.detail]).toEqual([401, 'unauthenticated', unknown.body.detail])
    expect(wrong.headers.getSetCookie()).toEqual([])
  })

  test('keeps its failures despite a sign-in whose body comes late', async () => {
    const { panel, browser } = await withAlice()
    const late = lateSignIn(panel, 'zed')
    await turns()
    await panel.clock.advance(5)
    const guess = async (): Promise<number> => (await browser.signIn('alice', 'not the password')).status
    for (let guesses = 0; guesses < 10; guesses++) expect(await guess()).toBe(401)
    expect(await guess()).toBe(429)
    expect(await late()).toBe(401)
    expect(await guess()).toBe(429)
  })

  test('changes nothing without the CSRF token of the own session', async () => {
    const { panel, browser, id } = await withAlice()
    await panel.account('bob', { password })
    const other = new Browser(panel)
    await other.signIn('bob', password)
    await browser.signIn('alice', password)
    const own = browser.csrf
    for (const token of [undefined, 'wrong', other.csrf]) {
      browser.csrf = token
      expect((await browser.patch(`/accounts/${id}`, { theme: 'dark' })).code).toBe('csrf')
    }
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
    browser.csrf = own
    expect((await browser.patch(`/accounts/${id}`, { theme: 'dark' })).status).toBe(202)
    await panel.settle()
    expect([panel.events(), panel.jobs()]).toEqual([['job.completed'], ['account.update succeeded']])
    expect((await browser.patch(`/accounts/${id}`, { max_sql: 5 })).body.fields).toHaveProperty('max_sql')
  })

  test("refuses a sign-in by another site's page", async () => {
    const { panel } = await withAlice()
    const send = (origin: string) =>
      panel.post(
        '/user/auth/login',
        { username: 'alice', password },
        { from: '198.51.100.7', headers: { Origin: origin, Host: 'host.example:7711' } },
      )
    expect((await send('https://evil.example')).code).toBe('csrf')
    expect((await send('null')).code).toBe('csrf')
    expect((await send('https://host.example:7711')).status).toBe(200)
  })

  test('ends an idle session after an hour, and any after eight', async () => {
    const { panel, browser, id } = await withAlice()
    await browser.signIn('alice', password)
    for (let half = 0; half < 15; half++) {
      await panel.clock.advance(30 * 60_000)
      expect((await browser.get(`/accounts/${id}`)).status).toBe(200)
    }
    await panel.clock.advance(30 * 60_000)
    expect((await browser.get(`/accounts/${id}`)).status).toBe(401)
    await browser.signIn('alice', password)
    await panel.clock.advance(61 * 60_000)
    expect((await browser.get(`/accounts/${id}`)).status).toBe(401)
  })

  test('answers account-suspended to a suspended customer, in a running session too', async () => {
    const { panel, browser, id } = await withAlice()
    await browser.signIn('alice', password)
    await panel.post(`/accounts/${id}/suspend`, { reason: 'unpaid' })
    expect((await browser.get(`/accounts/${id}`)).code).toBe('account-suspended')
    expect((await new Browser(panel).signIn('alice', password)).code).toBe('account-suspended')
    expect((await new Browser(panel).signIn('alice', 'not the password')).code).toBe('unauthenticated')
  })

  test('changes the password, which ends the other sessions and keeps this one', async () => {
    const { panel, browser, id } = await withAlice()
    const other = new Browser(panel)
    await other.signIn('alice', password)
    await browser.signIn('alice', password)
    panel.forget()
    const change = { current_password: password, new_password: 'a new password' }
    expect((await browser.post(`/accounts/${id}/password`, change)).status).toBe(204)
    expect(panel.events()).toEqual(['account.password_changed'])
    expect(panel.jobs()).toEqual([])
    expect((await other.get(`/accounts/${id}`)).status).toBe(401)
    expect((await browser.get(`/accounts/${id}`)).status).toBe(200)
    expect(
      (await browser.post('/user/auth/password', { current_password: password, new_password: 'yet another one' })).body
        .fields,
    ).toHaveProperty('current_password')
    expect(
      (
        await browser.post('/user/auth/password', {
          current_password: 'a new password',
          new_password: 'yet another one',
        })
      ).status,
    ).toBe(204)
    expect([panel.events(), panel.jobs()]).toEqual([['account.password_changed'], []])
  })
})

describe('limits of failed sign-ins', () => {
  test('a sign-in forgives failures before it, not attempts in progress', async () => {
    const { browser } = await withAlice()
    const guess = async (): Promise<number> => (await browser.signIn('alice', 'not the password')).status
    expect([await guess(), await guess()]).toEqual([401, 401])
    const right = browser.signIn('alice', password)
    const wrong = Array.from({ length: 7 }, guess)
    expect((await right).status).toBe(200)
    expect(await Promise.all(wrong)).toEqual(Array(7).fill(401))
    expect([await guess(), await guess(), await guess(), await guess()]).toEqual([401, 401, 401, 429])
  })

  test('allows ten failures from one address for one name, even when concurrent', async () => {
    const { panel, browser } = await withAlice()
    const tries = await Promise.all(Array.from({ length: 15 }, () => browser.signIn('alice', 'not the password')))
    expect(tries.filter(({ status }) => status === 401)).toHaveLength(10)
    const refused = tries.find(({ status }) => status === 429)
    expect(refused?.code).toBe('rate-limited')
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await browser.signIn('alice', password)).status).toBe(429)
    expect((await new Browser(panel, '198.51.100.8').signIn('alice', password)).status).toBe(200)
    await panel.clock.advance(15 * 60_000 + 1)
    expect((await browser.signIn('alice', password)).status).toBe(200)
  })

  test('allows thirty failures from one address, or one /64 of IPv6', async () => {
    const { panel } = await withAlice()
    for (let n = 0; n < 30; n++) await new Browser(panel, `2001:db8::${n + 1}`).signIn(`name${n}`, 'not the password')
    expect((await new Browser(panel, '2001:db8::ffff').signIn('alice', password)).status).toBe(429)
    expect((await new Browser(panel, '2001:db8:0:1::1').signIn('alice', password)).status).toBe(200)
  })

  test('allows 120 failures from one /48 of IPv6, whatever /64 they come from', async () => {
    const { panel } = await withAlice()
    const from = (n: number) => new Browser(panel, `2001:db8:0:${n.toString(16)}::1`)
    for (let n = 0; n < 120; n++) expect((await from(n).signIn(`name${n}`, 'not the password')).status).toBe(401)
    expect((await from(500).signIn('alice', password)).status).toBe(429)
    expect((await new Browser(panel, '2001:db8:1::1').signIn('alice', password)).status).toBe(200)
    await panel.clock.advance(15 * 60_000 + 1)
    expect((await from(500).signIn('alice', password)).status).toBe(200)
  })

  test('slows down unknown addresses for one name, but not those that signed in before', async () => {
    const { panel } = await withAlice()
    const home = new Browser(panel, '203.0.113.1')
    expect((await home.signIn('alice', password)).status).toBe(200)
    for (let n = 0; n < 100; n++) await new Browser(panel, `10.0.${n}.1`).signIn('alice', 'not the password')
    expect((await new Browser(panel, '10.1.0.1').signIn('alice', password)).status).toBe(429)
    expect((await home.signIn('alice', password)).status).toBe(200)
    await panel.clock.advance(30_000)
    expect((await new Browser(panel, '10.1.0.1').signIn('alice', password)).status).toBe(200)
  })
})

describe('second factor', () => {
  async function withTotp() {
    const { panel, browser, id } = await withAlice()
    await browser.signIn('alice', password)
    const { secret } = (await browser.post('/user/auth/totp/setup')).body
    const code = () => generateSync({ secret, epoch: Math.floor(panel.clock.now() / 1000) })
    const enabled = await browser.post('/user/auth/totp/enable', { code: code() })
    expect(enabled.status).toBe(200)
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
    await panel.clock.advance(30_000)
    return { panel, browser, id, code, recovery: enabled.body.recovery_codes as string[] }
  }

  test('requires the second factor after the password, and accepts it once', async () => {
    const { panel, id, code } = await withTotp()
    const browser = new Browser(panel)
    const first = await browser.signIn('alice', password)
    expect(first.body).toMatchObject({ authenticated: false, mfa_required: true })
    expect(first.body.csrf_token).toBeUndefined()
    expect((await browser.get(`/accounts/${id}`)).status).toBe(401)
    const waiting = browser.cookies.get('panel_user')
    expect((await browser.post('/user/auth/login/totp', { code: '000000' })).status).toBe(401)
    const sent = code()
    const done = await browser.post('/user/auth/login/totp', { code: sent })
    expect(done.body).toMatchObject({ authenticated: true, two_factor_enabled: true })
    expect(browser.cookies.get('panel_user')).not.toBe(waiting)
    expect((await browser.get(`/accounts/${id}`)).status).toBe(200)
    const again = new Browser(panel)
    await again.signIn('alice', password)
    expect((await again.post('/user/auth/login/totp', { code: sent })).status).toBe(401)
  })

  test('allows fifty tries in a day from all unknown addresses, and lets the owner in from a known one', async () => {
    const { panel, browser: home, code } = await withTotp()
    const complete = async (from: string, sent: string) => {
      const browser = new Browser(panel, from)
      expect((await browser.signIn('alice', password)).body.mfa_required).toBe(true)
      return browser.post('/user/auth/login/totp', { code: sent })
    }
    for (let n = 0; n < 50; n++) expect((await complete(`203.0.113.${n}`, '000000')).status).toBe(401)
    const refused = await complete('203.0.113.200', code())
    expect([refused.code, refused.headers.has('retry-after')]).toEqual(['rate-limited', true])
    await panel.clock.advance(60 * 60_000)
    expect((await complete('203.0.113.200', code())).status).toBe(429)
    expect((await home.signIn('alice', password)).body.mfa_required).toBe(true)
    expect((await home.post('/user/auth/login/totp', { code: code() })).status).toBe(200)
    await panel.clock.advance(23 * 60 * 60_000)
    expect((await complete('203.0.113.200', code())).status).toBe(200)
  })

  test('does not count tries of someone who lacks the password', async () => {
    const { panel, code } = await withTotp()
    for (let n = 0; n < 60; n++) {
      const guesser = new Browser(panel, `203.0.113.${n}`)
      await guesser.signIn('alice', 'not the password')
      expect((await guesser.post('/user/auth/login/totp', { code: '000000' })).code).toBe('unauthenticated')
    }
    const browser = new Browser(panel, '198.51.100.99')
    await browser.signIn('alice', password)
    expect((await browser.post('/user/auth/login/totp', { code: code() })).status).toBe(200)
  })

  test('does not let in an account that was suspended after its password was accepted', async () => {
    const { panel, id, code } = await withTotp()
    const browser = new Browser(panel)
    expect((await browser.signIn('alice', password)).body.mfa_required).toBe(true)
    await panel.post(`/accounts/${id}/suspend`, {})
    expect((await browser.post('/user/auth/login/totp', { code: code() })).code).toBe('account-suspended')
    expect((await browser.get('/user/auth/session')).body.authenticated).toBe(false)
    await panel.settle()
    expect([panel.events(), panel.jobs()]).toEqual([
      ['account.suspended', 'job.completed'],
      ['account.suspend succeeded'],
    ])
  })

  test('accepts each recovery code once in place of the second factor', async () => {
    const { panel, recovery } = await withTotp()
    expect(recovery).toHaveLength(10)
    for (const status of [200, 401]) {
      const browser = new Browser(panel)
      await browser.signIn('alice', password)
      expect((await browser.post('/user/auth/login/totp', { code: recovery[0]!.toLowerCase() })).status).toBe(status)
    }
  })

  test('turns off the second factor with a code only', async () => {
    const { panel, browser, code } = await withTotp()
    expect((await browser.post('/user/auth/totp/disable', { code: '000000' })).body.fields).toHaveProperty('code')
    expect((await browser.post('/user/auth/totp/disable', { code: code() })).status).toBe(204)
    expect((await browser.get('/user/auth/session')).body.two_factor_enabled).toBe(false)
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })

  test('blocks everything else until a required second factor is set up', async () => {
    const { panel, browser, id } = await withAlice()
    await browser.signIn('alice', password)
    await panel.patch('/settings', { two_factor_required: 'everyone' })
    expect((await browser.get('/user/auth/session')).body.two_factor_setup_required).toBe(true)
    const inUse = await browser.get(`/accounts/${id}`)
    expect([inUse.code, inUse.body.detail]).toEqual([
      'forbidden',
      'Set up two-factor sign-in first; until then nothing else works.',
    ])
    expect((await browser.post('/user/auth/totp/setup')).status).toBe(200)
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })
})

test('an old password must be changed before anything else', async () => {
  const { panel, id } = await withAlice()
  await panel.patch('/settings', { password_max_age_days: 30 })
  panel.clock.jump(31 * 86_400_000)
  const browser = new Browser(panel)
  const session = await browser.signIn('alice', password)
  expect(session.body).toMatchObject({ authenticated: true, password_expired: true, force_password_change: true })
  expect((await browser.get(`/accounts/${id}`)).code).toBe('forbidden')
  expect(
    (await browser.post('/user/auth/password', { current_password: password, new_password: 'a fresh password' }))
      .status,
  ).toBe(204)
  expect([panel.events(), panel.jobs()]).toEqual([['account.password_changed'], []])
  expect((await browser.get(`/accounts/${id}`)).status).toBe(200)
})

test('root signs in to the admin panel with the password set over the socket', async () => {
  const panel = await startPanel()
  const browser = new Browser(panel)
  expect((await browser.signIn('root', password, 'admin')).status).toBe(401)
  expect((await panel.put('/root/password', { new_password: password })).status).toBe(204)
  expect((await browser.signIn('root', password, 'admin')).body).toMatchObject({
    authenticated: true,
    is_root: true,
    role: 'root',
  })
  expect((await browser.get('/accounts')).status).toBe(200)
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
  expect((await browser.get('/auth/sessions')).body.items).toMatchObject([{ current: true, address: '198.51.100.7' }])
  const token = await panel.token(['full-access'])
  for (const [method, path] of [
    ['PUT', '/root/password'],
    ['GET', '/tokens'],
    ['POST', '/auth/totp/setup'],
    ['GET', '/auth/sessions'],
  ] as const) {
    expect((await panel.send(method, path, { token, body: method === 'GET' ? undefined : {} })).code, path).toBe(
      'token-scope',
    )
  }
})

test('acts as the session that owns the CSRF token when both cookies are sent', async () => {
  const { panel, browser, id } = await withAlice()
  await panel.put('/root/password', { new_password: password })
  await browser.signIn('root', password, 'admin')
  const root = browser.csrf!
  await browser.signIn('alice', password)
  const alice = browser.csrf!
  browser.csrf = undefined
  expect((await browser.get('/accounts')).status).toBe(200)
  expect((await browser.get('/user/auth/session')).body.username).toBe('alice')
  expect((await browser.get('/auth/session')).body.username).toBe('root')
  expect((await browser.post(`/accounts/${id}/suspend`, {}, { headers: { 'X-CSRF-Token': alice } })).code).toBe(
    'forbidden',
  )
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
  expect((await browser.post(`/accounts/${id}/suspend`, {}, { headers: { 'X-CSRF-Token': root } })).status).toBe(202)
  await panel.settle()
  expect([panel.events(), panel.jobs()]).toEqual([
    ['account.suspended', 'job.completed'],
    ['account.suspend succeeded'],
  ])
})
