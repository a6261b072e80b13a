import { describe, expect, test } from 'vitest'
import { hashPassword } from '../../src/runtime/security/password.ts'
import { turns } from '../clock.ts'
import { type Json, startPanel, type TestPanel } from '../harness.ts'
import { Browser } from '../sessions/browser.ts'
import { resellerToken } from '../world.ts'

const password = 'correct horse battery'
const from = '198.51.100.7'

interface OpenRequest {
  readonly method?: string
  readonly path: string
  readonly body: object
  readonly headers: Record<string, string>
  readonly local?: boolean
}

/** A change whose head and first byte have arrived; `release` sends the rest and returns the status and the code. */
async function hold(panel: TestPanel, { method = 'POST', path, body, headers, local = false }: OpenRequest) {
  const bytes = new TextEncoder().encode(JSON.stringify(body))
  let rest!: () => void
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.slice(0, 1))
      rest = () => {
        controller.enqueue(bytes.slice(1))
        controller.close()
      }
    },
  })
  const request = new Request(`https://host.example:7711/api/v1${path}`, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: stream,
    duplex: 'half',
  } as RequestInit)
  const answer = Promise.resolve(panel.panel.app.fetch(request, { local, address: from }))
  await turns()
  return async (): Promise<[number, string | undefined]> => {
    rest()
    const response = await answer
    const reply = (await response.json().catch(() => undefined)) as Json
    return [response.status, response.ok ? undefined : reply?.type?.split('/').at(-1)]
  }
}

const bearer = (secret: string) => ({ Authorization: `Bearer ${secret}` })

const of = (browser: Browser): Record<string, string> => ({
  Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  'X-CSRF-Token': browser.csrf!,
})

function expectNothing(panel: TestPanel): void {
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
}

describe('change whose body arrives late', () => {
  test.each([false, true])('refuses a late body when its token was revoked; local socket: %s', async (local) => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const { secret, token } = (await panel.post('/tokens', { name: 'billing', scopes: ['full-access'] })).body
    const inUse = { path: `/accounts/${id}/suspend`, body: {}, headers: bearer(secret), local }
    const release = await hold(panel, inUse)
    expect((await panel.delete(`/tokens/${token.id}`)).status).toBe(204)
    expect(await release()).toEqual([401, 'unauthenticated'])
    expect((await panel.get(`/accounts/${id}`)).body.status).toBe('active')
    expectNothing(panel)
  })

  test('refuses a late body when its token expired', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const secret = await panel.token(['full-access'], { expires_at: panel.clock.now() + 10_000 })
    const release = await hold(panel, { path: `/accounts/${id}/suspend`, body: {}, headers: bearer(secret) })
    panel.clock.jump(10_000)
    expect(await release()).toEqual([401, 'unauthenticated'])
    expectNothing(panel)
  })

  test('creates no token that outlives a session ended by a new password', async () => {
    const panel = await startPanel()
    await panel.put('/root/password', { new_password: password })
    const browser = new Browser(panel, from)
    await browser.signIn('root', password, 'admin')
    const body = { name: 'kept', scopes: ['full-access'] }
    const release = await hold(panel, { path: '/tokens', body, headers: of(browser) })
    expect((await panel.put('/root/password', { new_password: `another ${password}` })).status).toBe(204)
    expect(await release()).toEqual([401, 'unauthenticated'])
    expect((await panel.get('/tokens')).body.total).toBe(0)
    expectNothing(panel)
  })

  test('refuses a late body when a privilege was taken from the reseller', async () => {
    const panel = await startPanel()
    const rita = await panel.account('rita')
    const secret = await resellerToken(panel, rita.id, ['create-acct', 'create-user-session', 'list-accts'])
    const made = await panel.post('/accounts', { username: 'alice', domain: 'alice.example' }, { token: secret })
    await panel.settle()
    const path = `/accounts/${made.body.account.id}/sso`
    const release = await hold(panel, { path, body: {}, headers: bearer(secret) })
    expect((await panel.put(`/resellers/${rita.id}/acl`, { acl: ['list-accts'] })).status).toBe(200)
    panel.forget()
    expect(await release()).toEqual([403, 'forbidden'])
    expect(panel.store.sqlite.prepare('SELECT count(*) FROM links').pluck().get()).toBe(0)
    expectNothing(panel)
  })

  test('refuses a late body when the account was suspended', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const secret = await panel.token(['full-access'], { account: id })
    const body = { contact_email: 'new@alice.example' }
    const release = await hold(panel, { method: 'PATCH', path: `/accounts/${id}`, body, headers: bearer(secret) })
    await panel.post(`/accounts/${id}/suspend`, {})
    await panel.settle()
    panel.forget()
    expect(await release()).toEqual([403, 'account-suspended'])
    expect((await panel.get(`/accounts/${id}`)).body.contact_email).toBe('')
    expectNothing(panel)
  })

  test('refuses a late body when the license lapsed', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const secret = await panel.token(['full-access'])
    const release = await hold(panel, { path: `/accounts/${id}/suspend`, body: {}, headers: bearer(secret) })
    await panel.put('/license', { valid_until: panel.clock.now() })
    expect(await release()).toEqual([402, 'license-readonly'])
    expectNothing(panel)
  })

  test('refuses a late body when a feature was turned off', async () => {
    const panel = await startPanel()
    const { id, feature_list_id } = await panel.account('alice')
    const secret = await panel.token(['full-access'], { account: id })
    const body = { url: 'https://hooks.example/panel' }
    const release = await hold(panel, { path: `/accounts/${id}/webhooks`, body, headers: bearer(secret) })
    const off = await panel.patch(`/feature-lists/${feature_list_id}`, { features: { api_tokens: false } })
    expect(off.status).toBe(200)
    await panel.settle()
    panel.forget()
    expect(await release()).toEqual([403, 'feature-disabled'])
    expectNothing(panel)
  })

  test('a response stored for its idempotency key is not returned to a revoked token', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const { secret, token } = (await panel.post('/tokens', { name: 'billing', scopes: ['full-access'] })).body
    const headers = { ...bearer(secret), 'Idempotency-Key': 'once' }
    const ask = { path: `/accounts/${id}/suspend`, body: { reason: 'unpaid' }, headers }
    expect(
      (await panel.post(ask.path, ask.body, { token: secret, headers: { 'Idempotency-Key': 'once' } })).status,
    ).toBe(202)
    await panel.settle()
    panel.forget()
    const release = await hold(panel, ask)
    await panel.delete(`/tokens/${token.id}`)
    expect(await release()).toEqual([401, 'unauthenticated'])
    expectNothing(panel)
  })
})

describe('slow form', () => {
  test('does nothing for a session that ended meanwhile', async () => {
    const panel = await startPanel()
    await panel.account('alice', { password })
    const browser = new Browser(panel, from)
    await browser.signIn('alice', password)
    // The first page loads what all pages need, which takes longer than the turns below.
    await panel.get('https://host.example:7711/user/login', { from })
    const headers = of(browser)
    const form = new URLSearchParams({
      csrf_token: browser.csrf!,
      current_password: password,
      new_password: `another ${password}`,
    })
    // Its own waits behind these, two at a time, and each pair takes a turn of the event loop.
    const before = Array.from({ length: 24 }, () => hashPassword('another one', undefined))
    const sent = panel.panel.app.fetch(
      new Request('https://host.example:7711/user/password', {
        method: 'POST',
        headers: { Cookie: headers['Cookie']!, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
      }),
      { local: false, address: from },
    )
    await turns()
    expect((await browser.post('/user/auth/logout')).status).toBe(204)
    expect((await sent).status).toBe(401)
    await Promise.all(before)
    expect((await new Browser(panel, from).signIn('alice', password)).status).toBe(200)
    expectNothing(panel)
  })
})
