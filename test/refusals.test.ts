import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PausedDriver } from './drivers.ts'
import { type Reply, type Send, startPanel, TestPanel } from './harness.ts'
import { makeWorld, resellerToken, unknown, type World } from './world.ts'

const first = ({ status, code }: Reply): string => `${status} ${code}`
const form = { body: 'a=1', headers: { 'Content-Type': 'text/plain' } }
const tooLarge = { headers: { 'Content-Length': '1048577', 'Content-Type': 'text/plain' }, body: 'x' }

describe('order of refusals', () => {
  let panel: TestPanel
  let world: World
  beforeAll(async () => {
    panel = await new TestPanel({}).start()
    world = await makeWorld(panel)
  })
  afterAll(() => panel.stop())

  const suspend = (id: string, options: Send) => panel.send('POST', `/accounts/${id}/suspend?odd=1`, options)

  test('checks the route before authentication', async () => {
    expect(first(await panel.send('POST', '/nowhere', { from: '192.0.2.1', ...form }))).toBe('404 not-found')
    expect(first(await panel.send('POST', '/token', { from: '192.0.2.1', ...form }))).toBe('405 method-not-allowed')
    expect(first(await panel.send('PUT', '/accounts/alice', { token: 'bad' }))).toBe('405 method-not-allowed')
    expect((await panel.delete('/webhooks/events')).headers.get('allow')).toBe('GET, HEAD')
  })
  test('checks authentication before permissions', async () => {
    expect(first(await suspend(unknown, { from: '192.0.2.1', ...form }))).toBe('401 unauthenticated')
    expect(first(await suspend(unknown, { token: 'bad', ...form }))).toBe('401 unauthenticated')
  })
  test('checks authentication and permissions before invalid ids', async () => {
    const odd = (token: string) => panel.send('POST', '/accounts/alice/suspend?odd=1', { token, ...form })
    expect(first(await odd('bad'))).toBe('401 unauthenticated')
    expect(first(await odd(await panel.token(['packages:write'])))).toBe('403 token-scope')
    expect(first(await odd(await panel.token(['accounts:write'])))).toBe('404 not-found')
  })
  test("checks the token's address before its scope", async () => {
    const token = await panel.token(['packages:read'], { allowed_ips: ['198.51.100.0/24'] })
    expect(first(await suspend(unknown, { token, ...form }))).toBe('403 token-ip')
    expect(first(await suspend(unknown, { token, ...form, from: '198.51.100.9' }))).toBe('403 token-scope')
  })
  test("checks a session's CSRF token before its caller's permissions", async () => {
    const { Cookie, ...csrf } = world.signedIn
    const make = (headers: Record<string, string>) =>
      panel.send('POST', '/packages?odd=1', { from: '192.0.2.1', ...form, headers: { ...form.headers, ...headers } })
    expect(first(await make({ Cookie: 'panel_user=nonsense' }))).toBe('401 unauthenticated')
    expect(first(await make({ Cookie: Cookie! }))).toBe('403 csrf')
    expect(first(await make({ Cookie: Cookie!, 'X-CSRF-Token': 'wrong' }))).toBe('403 csrf')
    expect(first(await make({ Cookie: Cookie!, ...csrf }))).toBe('403 forbidden')
  })
  test("checks the token's scope before the caller's privileges", async () => {
    const rita = (await panel.get('/accounts?q=rita')).body.items[0].id
    const reading = await resellerToken(panel, rita, ['list-accts'], ['read-only'])
    expect(first(await suspend(unknown, { token: reading, ...form }))).toBe('403 token-scope')
    const full = await resellerToken(panel, rita, ['list-accts'])
    const forbidden = await suspend(unknown, { token: full, ...form })
    expect(first(forbidden)).toBe('403 forbidden')
    expect(forbidden.body.detail).toContain('suspend-acct')
    const able = await resellerToken(panel, rita, ['suspend-acct'])
    expect(first(await suspend(world.alice.id, { token: able, ...form }))).toBe('404 not-found')
  })
  test('checks objects in the path before the body', async () => {
    expect(first(await suspend(unknown, tooLarge))).toBe('404 not-found')
    expect(first(await suspend(unknown, form))).toBe('404 not-found')
  })
  test('checks size before type before content, in body and query', async () => {
    expect(first(await suspend(world.alice.id, tooLarge))).toBe('413 too-large')
    expect(first(await suspend(world.alice.id, form))).toBe('415 unsupported-media-type')
    expect(first(await suspend(world.alice.id, { body: '{' }))).toBe('400 validation')
    expect(first(await suspend(world.alice.id, { body: {} }))).toBe('400 validation')
  })
})

test('checks a feature that is off before suspension, before the license, before the body', async () => {
  const panel = await startPanel()
  const features = (await panel.post('/feature-lists', { name: 'bare', features: { api_tokens: false } })).body
  const plan = (await panel.post('/packages', { name: 'bare', feature_list_id: features.id })).body
  const alice = await panel.account('alice', { password: 'correct horse' })
  const token = await panel.token(['full-access'], { account: alice.id })
  const feed = () => panel.send('GET', `/accounts/${alice.id}/events?odd=1`, { token })
  const update = () => panel.send('PATCH', `/accounts/${alice.id}?odd=1`, { token, ...form })
  const move = (package_id: string) => panel.put(`/accounts/${alice.id}/package`, { package_id })
  const lapse = (at: number | null) => panel.put('/license', { valid_until: at })
  await move(plan.id)
  await panel.post(`/accounts/${alice.id}/suspend`, {})
  await lapse(panel.clock.now())
  expect([first(await feed()), first(await update())]).toEqual(['403 feature-disabled', '403 feature-disabled'])
  await lapse(null)
  await move(alice.package_id)
  await lapse(panel.clock.now())
  expect([first(await feed()), first(await update())]).toEqual(['403 account-suspended', '403 account-suspended'])
  await lapse(null)
  await panel.post(`/accounts/${alice.id}/unsuspend`)
  await lapse(panel.clock.now())
  expect([first(await feed()), first(await update())]).toEqual(['400 validation', '402 license-readonly'])
  expect(first(await panel.get(`/accounts/${alice.id}`))).toBe('200 undefined')
})

describe('error in the request beside a conflict with what is stored', () => {
  test('reports the error of a package before its taken name', async () => {
    const panel = await startPanel()
    const small = (await panel.post('/packages', { name: 'small' })).body
    const other = (await panel.post('/packages', { name: 'other' })).body
    const body = { name: 'small', feature_list_id: unknown }
    for (const reply of [await panel.post('/packages', body), await panel.patch(`/packages/${other.id}`, body)]) {
      expect(first(reply)).toBe('400 validation')
      expect(Object.keys(reply.body.fields)).toEqual(['feature_list_id'])
    }
    expect(first(await panel.patch(`/packages/${other.id}`, { name: 'small' }))).toBe('409 exists')
    expect(small.name).toBe('small')
  })
  test('reports the error of a change before the termination of its account', async () => {
    const panel = await startPanel({ driver: (root) => new PausedDriver(root) })
    const { id } = (await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })).body.account
    await panel.delete(`/accounts/${id}?confirm=alice`)
    const invalid: [string, string, object, string][] = [
      ['PUT', 'package', { package_id: unknown }, 'package_id'],
      ['PATCH', '', { ip_id: unknown }, 'ip_id'],
      ['PATCH', '', { domain: 'co.uk' }, 'domain'],
      ['POST', 'tokens', { name: 'x', scopes: ['full-access'], allowed_ips: ['nowhere'] }, 'allowed_ips'],
    ]
    for (const [method, below, body, field] of invalid) {
      const reply = await panel.send(method, `/accounts/${id}/${below}`.replace(/\/$/, ''), { body })
      expect([first(reply), Object.keys(reply.body.fields)], method + below).toEqual(['400 validation', [field]])
    }
    const well: [string, string, object][] = [
      ['PUT', '/package', { package_id: (await panel.get('/packages')).body.items[0].id }],
      ['PATCH', '', { theme: 'dark' }],
      ['POST', '/suspend', {}],
      ['POST', '/unsuspend', {}],
      ['POST', '/sso', {}],
      ['POST', '/phpmyadmin', {}],
      ['POST', '/password', { new_password: 'correct horse' }],
      ['POST', '/tokens', { name: 'x', scopes: ['full-access'] }],
      ['POST', '/webhooks', { url: 'https://hooks.example/' }],
    ]
    for (const [method, below, body] of well)
      expect(first(await panel.send(method, `/accounts/${id}${below}`, { body })), method + below).toBe('409 busy')
  })
  test('reports the error of a create before the limit of its reseller', async () => {
    const panel = await startPanel()
    const rita = await panel.account('rita', { make_reseller: true })
    const token = await resellerToken(panel, rita.id, ['create-acct'])
    await panel.store.change(() => void panel.store.sqlite.exec('UPDATE resellers SET max_accounts = 0'))
    const body = { username: 'carl', domain: 'carl.example' }
    const wrong = await panel.post('/accounts', { ...body, ip_id: unknown }, { token })
    expect([first(wrong), Object.keys(wrong.body.fields ?? {})]).toEqual(['400 validation', ['ip_id']])
    expect(first(await panel.post('/accounts', body, { token }))).toBe('409 limit-reached')
    await panel.store.change(() => void panel.store.sqlite.exec('UPDATE resellers SET max_accounts = 1'))
    expect(first(await panel.post('/accounts', body, { token }))).toBe('202 undefined')
    const more = { username: 'dora', domain: 'dora.example' }
    expect(first(await panel.post('/accounts', more, { token }))).toBe('409 limit-reached')
  })
})

describe('refused request', () => {
  test('leaves no row in any table', async () => {
    const panel = await startPanel()
    const world = await makeWorld(panel)
    const { id } = world.alice
    const billing = await panel.token(['accounts:write', 'packages:read'])
    await panel.clock.advance(61_000)
    await panel.settle()
    const before = rows(panel)
    const refusals: [string, string, Send][] = [
      ['POST', '/accounts', { body: { username: 'alice', domain: 'new.example', password: 'correct horse' } }],
      ['POST', '/accounts', { body: { username: 'carl', domain: 'carl.example', package_id: unknown } }],
      ['POST', '/accounts', { body: { username: 'carl', domain: 'carl.example', ip_id: unknown } }],
      ['POST', '/accounts', { body: { username: 'carl', domain: 'carl.example', owner_id: world.bob.id } }],
      ['POST', '/accounts', { body: { username: 'carl', domain: 'carl.example', owns_itself: true } }],
      ['POST', '/accounts', { body: { username: 'carl', domain: 'carl.example', odd: 1 } }],
      ['POST', '/accounts', { body: { username: 'root', domain: 'r.example' }, headers: { 'Idempotency-Key': 'k' } }],
      ['DELETE', `/accounts/${id}`, {}],
      ['DELETE', `/accounts/${id}?confirm=bob`, {}],
      ['PUT', `/accounts/${id}/package`, { body: { package_id: unknown } }],
      ['POST', `/accounts/${id}/password`, { body: { new_password: 'short' } }],
      ['POST', '/packages', { body: { name: 'small' } }],
      ['POST', '/packages', { body: { name: 'x', feature_list_id: unknown } }],
      ['DELETE', `/packages/${world.alice.package_id}`, {}],
      ['POST', '/feature-lists', { body: { name: 'default' } }],
      ['POST', '/ips', { body: { address: '1.2.3' } }],
      ['DELETE', `/ips/${world.alice.ip_id}`, {}],
      ['POST', '/tokens', { body: { name: 'x', scopes: ['full-access', 'accounts:read'] } }],
      ['POST', '/tokens', { body: { name: 'x', scopes: ['full-access'], allowed_ips: ['nowhere'] } }],
      ['POST', '/tokens', { body: { name: 'x', scopes: ['full-access'] }, headers: { 'Idempotency-Key': 'k' } }],
      ['POST', `/jobs/${world.ids.get('/jobs/{id}')}/cancel`, {}],
      ['POST', '/packages', { body: { name: 'y' }, token: billing }],
      ['POST', '/accounts', { body: { username: 'carl', domain: 'carl.example' }, from: '192.0.2.1' }],
    ]
    for (const [method, path, options] of refusals) {
      const reply = await panel.send(method, path, options)
      expect(reply.status, `${method} ${path} ${JSON.stringify(reply.body)}`).toBeGreaterThanOrEqual(400)
      expect(rows(panel), `${method} ${path}`).toEqual(before)
    }
  })
  test('uses no uid, so that the next account gets it', async () => {
    const panel = await startPanel()
    await panel.post('/accounts', { username: 'carl', domain: 'carl.example', ip_id: unknown })
    expect((await panel.account('alice')).uid).toBe(20_000)
  })
})

/** Every row of every table, except uses of tokens and the times of checks that run beside requests. */
function rows(panel: TestPanel): Record<string, unknown[]> {
  const tables = panel.store.sqlite
    .prepare(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('htaccess_checks', 'wordpress_scans')",
    )
    .pluck()
    .all() as string[]
  return Object.fromEntries(tables.map((name) => [name, panel.store.sqlite.prepare(`SELECT * FROM "${name}"`).all()]))
}

test('a full disk changes nothing, says so, and is temporary', async () => {
  const panel = await startPanel()
  const pages = panel.store.sqlite.pragma('page_count', { simple: true }) as number
  panel.store.sqlite.pragma(`max_page_count = ${pages}`)
  const names = Array.from({ length: 60 }, (_, n) => `${'p'.repeat(60)}${n}`)
  const replies = await Promise.all(names.map((name) => panel.post('/packages', { name })))
  const full = replies.filter(({ status }) => status !== 201)
  expect(full.length).toBeGreaterThan(0)
  for (const reply of full) expect(first(reply)).toBe('507 storage-full')
  const stored = names.length - full.length + 1
  expect((await panel.get('/packages')).body.total).toBe(stored)
  expect((await panel.get('/audit')).body.total).toBe(stored - 1)
  expect(panel.events()).toHaveLength(stored - 1)
  panel.store.sqlite.pragma('max_page_count = 1000000')
  expect((await panel.post('/packages', { name: 'after' })).status).toBe(201)
})

test('every response names its request, even outside the API', async () => {
  const panel = await startPanel()
  const origin = 'https://host.example:7711'
  const seen = new Set<string | null>()
  const paths = [
    '/healthz',
    '/problems/busy',
    '/problems/nonsense',
    '/nowhere',
    '/api/v1/accounts',
    '/api/v1/openapi.json',
  ]
  for (const path of paths) {
    const { headers } = await panel.get(origin + path)
    expect(headers.get('x-request-id'), path).toMatch(/^[0-9A-Z]{26}$/)
    expect(headers.get('x-content-type-options'), path).toBe('nosniff')
    seen.add(headers.get('x-request-id'))
  }
  expect(seen.size).toBe(paths.length)
})
