import { generateSync } from 'otplib'
import { describe, expect, test } from 'vitest'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { unknown } from '../world.ts'
import { Browser } from './browser.ts'

const password = 'correct horse battery'
const quarter = 15 * 60_000

async function withAlice(): Promise<{ panel: TestPanel; browser: Browser; id: string }> {
  const panel = await startPanel()
  const { id } = await panel.account('alice', { password })
  const browser = new Browser(panel)
  await browser.signIn('alice', password)
  return { panel, browser, id }
}

async function withRoot(): Promise<{ panel: TestPanel; browser: Browser }> {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  const browser = new Browser(panel)
  await browser.signIn('root', password, 'admin')
  return { panel, browser }
}

const fromLink = async (panel: TestPanel, id: string, kind: 'sso' | 'login-as'): Promise<Browser> => {
  const browser = new Browser(panel)
  await browser.get((await panel.post(`/accounts/${id}/${kind}`)).body.url)
  await browser.get('/user/auth/session')
  return browser
}

type Ask = readonly [method: string, path: string, body?: Json]
const token = { name: 'new', scopes: ['read-only'] }
const another = { current_password: password, new_password: `another ${password}` }

/** What asks a customer for the password. */
const ofCustomer = (id: string): readonly Ask[] => [
  ['POST', `/accounts/${id}/tokens`, token],
  ['DELETE', `/accounts/${id}/tokens/TOKEN`],
  ['POST', '/user/auth/totp/setup'],
  ['POST', '/user/auth/totp/enable', { code: '000000' }],
  ['POST', '/user/auth/totp/disable', { code: '000000' }],
  ['DELETE', '/user/auth/sessions'],
  ['DELETE', '/user/auth/sessions/SESSION'],
  ['POST', '/user/auth/password', another],
  ['POST', `/accounts/${id}/password`, another],
]

const codes = async (browser: Browser, requests: readonly Ask[]): Promise<(string | undefined)[]> => {
  const answers: (string | undefined)[] = []
  for (const [method, path, body] of requests) answers.push((await browser.send(method, path, { body })).code)
  return answers
}

describe('sensitive operation', () => {
  test('needs a password confirmed in that session within a quarter of an hour', async () => {
    const { panel, browser, id } = await withAlice()
    const own = (await panel.get(`/accounts/${id}`)).body
    await panel.post(`/accounts/${id}/tokens`, token)
    const [{ id: stored }] = (await panel.get(`/accounts/${id}/tokens`)).body.items
    const [session] = (await browser.get('/user/auth/sessions')).body.items
    const requests = ofCustomer(id).map(
      ([method, path, body]) => [method, path.replace('TOKEN', stored).replace('SESSION', session.id), body] as const,
    )
    panel.forget()
    panel.clock.jump(quarter)
    expect(await codes(browser, requests)).toEqual(requests.map(() => 'confirm-password'))
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
    expect((await panel.get(`/accounts/${id}`)).body).toEqual(own)
    expect((await panel.get(`/accounts/${id}/tokens`)).body.total).toBe(1)
    expect((await browser.post('/user/auth/confirm', { password })).status).toBe(204)
    const now = await codes(browser, requests)
    expect(now).not.toContain('confirm-password')
    expect(now[0]).toBeUndefined()
  })

  test('says where to confirm, and continues what does not concern it', async () => {
    const { panel, browser, id } = await withAlice()
    panel.clock.jump(quarter)
    const refused = await browser.post(`/accounts/${id}/tokens`, token)
    expect([refused.status, refused.code]).toEqual([403, 'confirm-password'])
    expect(refused.body.detail).toBe('Confirm your password first: POST /user/auth/confirm.')
    expect((await browser.get(`/accounts/${id}/tokens`)).status).toBe(200)
    expect((await browser.patch(`/accounts/${id}`, { theme: 'dark' })).status).toBe(202)
    expect((await browser.post('/user/auth/logout')).status).toBe(204)
  })

  test('counts from the sign-in or the last confirmation, of this session alone', async () => {
    const { panel, browser, id } = await withAlice()
    const other = new Browser(panel)
    await other.signIn('alice', password)
    const create = (one: Browser) => one.post(`/accounts/${id}/tokens`, token)
    panel.clock.jump(quarter - 1)
    expect((await create(browser)).status).toBe(201)
    await browser.post('/user/auth/confirm', { password })
    panel.clock.jump(1)
    expect([(await create(browser)).status, (await create(other)).code]).toEqual([201, 'confirm-password'])
    panel.clock.jump(quarter - 1)
    expect((await create(browser)).code).toBe('confirm-password')
  })

  test("requires a confirmation of root and resellers too, for their own password and not for customers'", async () => {
    const { panel, browser } = await withRoot()
    const { id } = await panel.account('alice', { password })
    const made = (await browser.post('/tokens', token)).body.token
    panel.clock.jump(quarter)
    const requests: readonly Ask[] = [
      ['POST', '/tokens', token],
      ['DELETE', `/tokens/${made.id}`],
      ['POST', `/accounts/${id}/tokens`, token],
      ['POST', '/auth/totp/setup'],
      ['DELETE', '/auth/sessions'],
      ['PUT', '/root/password', { new_password: 'another password' }],
      ['POST', '/auth/password', another],
    ]
    expect(await codes(browser, requests)).toEqual(requests.map(() => 'confirm-password'))
    expect((await browser.post(`/accounts/${id}/password`, { new_password: 'of alice' })).status).toBe(204)
    expect((await browser.post('/auth/confirm', { password })).status).toBe(204)
    expect((await browser.post('/tokens', token)).status).toBe(201)
  })

  test('needs no confirmation on the local socket', async () => {
    const { panel } = await withAlice()
    expect((await panel.post('/tokens', token)).status).toBe(201)
    expect((await panel.put('/root/password', { new_password: password })).status).toBe(204)
    expect((await panel.post('/auth/confirm', { password })).status).toBe(204)
  })

  test('checks the confirmation after authorization and existence', async () => {
    const { panel, browser, id } = await withAlice()
    const bob = await panel.account('bob')
    panel.clock.jump(quarter)
    expect((await browser.post('/tokens', token)).code).toBe('forbidden')
    expect((await browser.post(`/accounts/${bob.id}/tokens`, token)).code).toBe('not-found')
    expect((await browser.delete(`/accounts/${id}/tokens/${unknown}`)).code).toBe('not-found')
    expect((await browser.post(`/accounts/${id}/tokens`, 'no json')).code).toBe('confirm-password')
  })
})

describe('session from a link', () => {
  test('makes no token, sets no password and no second factor, unless the password is known', async () => {
    const { panel, id } = await withAlice()
    for (const kind of ['sso', 'login-as'] as const) {
      const browser = await fromLink(panel, id, kind)
      expect((await browser.post(`/accounts/${id}/tokens`, token)).code).toBe('confirm-password')
      const own = await codes(browser, ofCustomer(id).slice(2, 6))
      expect(own).toEqual(own.map(() => (kind === 'sso' ? 'confirm-password' : 'forbidden')))
      expect((await browser.post('/user/auth/confirm', { password: 'a guess' })).body.fields).toEqual({
        password: 'is wrong',
      })
      expect((await browser.post(`/accounts/${id}/tokens`, token)).code).toBe('confirm-password')
      expect((await browser.post('/user/auth/confirm', { password })).status).toBe(204)
      expect((await browser.post(`/accounts/${id}/tokens`, token)).status).toBe(201)
    }
  })

  test('does not require a second factor that was never set up of an account without a password', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    await panel.patch('/settings', { two_factor_required: 'everyone' })
    const browser = await fromLink(panel, id, 'sso')
    expect((await browser.get(`/accounts/${id}`)).status).toBe(200)
    expect((await browser.post('/user/auth/confirm', { password })).body.fields).toEqual({ password: 'is wrong' })
    await panel.post(`/accounts/${id}/password`, { new_password: password })
    const again = await fromLink(panel, id, 'sso')
    expect((await again.get('/user/auth/session')).body.two_factor_setup_required).toBe(true)
  })
})

describe('confirmation of a password', () => {
  test('limits confirmations like sign-ins, and changes nothing else', async () => {
    const { panel, browser, id } = await withAlice()
    panel.clock.jump(quarter)
    panel.forget()
    for (let tried = 0; tried < 10; tried++)
      expect((await browser.post('/user/auth/confirm', { password: 'a guess' })).status).toBe(400)
    const late = await browser.post('/user/auth/confirm', { password })
    expect([late.code, late.headers.has('retry-after')]).toEqual(['rate-limited', true])
    expect((await browser.post(`/accounts/${id}/tokens`, token)).code).toBe('confirm-password')
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })

  test('needs a session and its CSRF token, and takes no idempotency key', async () => {
    const { panel, browser } = await withAlice()
    const confirm = (headers: Record<string, string> = {}) =>
      browser.post('/user/auth/confirm', { password }, { headers })
    expect((await new Browser(panel).post('/user/auth/confirm', { password })).code).toBe('unauthenticated')
    expect((await confirm({ 'X-CSRF-Token': 'wrong' })).code).toBe('csrf')
    expect((await confirm({ 'Idempotency-Key': 'once' })).status).toBe(400)
  })

  test('counts for a sign-in that was completed by a code', async () => {
    const { panel, browser, id } = await withAlice()
    const { secret } = (await browser.post('/user/auth/totp/setup')).body
    const code = () => generateSync({ secret, epoch: Math.floor(panel.clock.now() / 1000) })
    await browser.post('/user/auth/totp/enable', { code: code() })
    panel.clock.jump(60_000)
    const again = new Browser(panel)
    await again.signIn('alice', password)
    expect((await again.post('/user/auth/login/totp', { code: code() })).status).toBe(200)
    expect((await again.post(`/accounts/${id}/tokens`, token)).status).toBe(201)
  })
})

describe("one's own password", () => {
  test('changes the password with the current one, to another', async () => {
    const { panel, browser, id } = await withAlice()
    const change = (body: object) => browser.post(`/accounts/${id}/password`, body)
    const wrongs: [object, Record<string, string>][] = [
      [{ new_password: 'a new password' }, { current_password: 'is required to change your own password' }],
      [{ new_password: 'a new password', current_password: 'a guess' }, { current_password: 'is wrong' }],
      [{ new_password: password, current_password: password }, { new_password: 'must differ from the current one' }],
    ]
    panel.forget()
    for (const [body, fields] of wrongs) {
      const reply = await change(body)
      expect([reply.status, reply.body.fields]).toEqual([400, fields])
    }
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
    expect((await change({ new_password: 'a new password', current_password: password })).status).toBe(204)
    expect(panel.events()).toEqual(['account.password_changed'])
    expect((await new Browser(panel).signIn('alice', 'a new password')).status).toBe(200)
  })

  test('refuses to replace an expired password with the same one, also by root in a session', async () => {
    const { panel, browser, id } = await withAlice()
    await panel.put('/root/password', { new_password: password })
    const root = new Browser(panel)
    await panel.patch('/settings', { password_max_age_days: 1 })
    panel.clock.jump(86_400_000)
    await browser.signIn('alice', password)
    expect((await root.signIn('root', password, 'admin')).body.force_password_change).toBe(true)
    const same = { new_password: password, current_password: password }
    const fields = { new_password: 'must differ from the current one' }
    expect((await browser.post(`/accounts/${id}/password`, same)).body.fields).toEqual(fields)
    expect((await root.put('/root/password', { new_password: password })).body.fields).toEqual(fields)
    expect((await browser.get('/user/auth/session')).body.force_password_change).toBe(true)
    expect((await root.put('/root/password', { new_password: 'a new password' })).status).toBe(204)
  })

  test("lets others set a customer's password without the current one, which they cannot send", async () => {
    const { panel, id } = await withAlice()
    const send = (body: object) => panel.post(`/accounts/${id}/password`, body)
    expect((await send({ new_password: 'a new password', current_password: password })).body.fields).toEqual({
      current_password: 'is only needed to change your own password; leave it out',
    })
    expect((await send({ new_password: 'a new password' })).status).toBe(204)
  })

  test('treats the password of a reseller who owns itself as its own too', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('rita', { password, make_reseller: true, owns_itself: true })
    await panel.put(`/resellers/${id}/acl`, { acl: ['passwd'] })
    const browser = new Browser(panel)
    await browser.signIn('rita', password, 'admin')
    const change = (body: object) => browser.post(`/accounts/${id}/password`, body)
    expect((await change({ new_password: 'a new password' })).body.fields).toHaveProperty('current_password')
    panel.clock.jump(quarter)
    expect((await change({ new_password: 'a new password' })).code).toBe('confirm-password')
    await browser.post('/auth/confirm', { password })
    expect((await change({ new_password: 'a new password', current_password: password })).status).toBe(204)
  })
})

describe('password that was reset', () => {
  // On a busy machine the hash of a sign-in may be ready before that of the reset, which then ends its session.
  test('leaves no session of a sign-in that was under way with the old password', async () => {
    const { panel, browser, id } = await withAlice()
    const browsers = Array.from({ length: 8 }, () => new Browser(panel))
    const reset = panel.post(`/accounts/${id}/password`, { new_password: 'a new password' })
    const replies = await Promise.all(browsers.map((one) => one.signIn('alice', password)))
    expect((await reset).status).toBe(204)
    expect(replies.map(({ status }) => status).filter((status) => status !== 401 && status !== 200)).toEqual([])
    for (const one of [browser, ...browsers])
      expect((await one.get('/user/auth/session')).body.authenticated).toBe(false)
    expect((await panel.get(`/accounts/${id}`)).body.status).toBe('active')
    expect((await new Browser(panel).signIn('alice', 'a new password')).status).toBe(200)
  })

  // One takes two hashes and the other one, concurrently: on a busy machine the longer may end first.
  test('keeps the new password despite a request that checked the old one before', { retry: 3 }, async () => {
    const panel = await startPanel()
    await panel.put('/root/password', { new_password: password })
    const own = panel.post('/auth/password', another)
    expect((await panel.put('/root/password', { new_password: 'a new password' })).status).toBe(204)
    expect((await own).body.fields).toEqual({ current_password: 'is wrong' })
    expect((await new Browser(panel).signIn('root', 'a new password', 'admin')).status).toBe(200)
  })
})

test("a customer's session says which account it is", async () => {
  const { panel, browser, id } = await withAlice()
  expect((await browser.get('/user/auth/session')).body.account_id).toBe(id)
  const { browser: root } = await withRoot()
  expect((await root.get('/auth/session')).body).not.toHaveProperty('account_id')
  expect((await new Browser(panel).get('/user/auth/session')).body).not.toHaveProperty('account_id')
})
