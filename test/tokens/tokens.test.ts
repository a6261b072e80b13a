import { describe, expect, test, vi } from 'vitest'
import { wellFormed } from '../../src/areas/tokens/secret.ts'
import { MAX_TOKENS_PER_ACCOUNT } from '../../src/contract/tokens.ts'
import { type Reply, type Send, startPanel, type TestPanel } from '../harness.ts'
import { Browser } from '../sessions/browser.ts'

const day = 24 * 3_600_000
const problem = ({ status, code, body }: Reply) => [status, code, ...Object.keys(body.fields ?? {})]
const create = (panel: TestPanel, fields: object = {}) =>
  panel.post('/tokens', { name: 'billing', scopes: ['accounts:write'], ...fields })

describe('secret of a token', () => {
  test('shows a secret once, which begins with its prefix and ends with its checksum', async () => {
    const panel = await startPanel()
    const made = await create(panel)
    expect(made.status).toBe(201)
    const { secret, token } = made.body
    expect(secret).toMatch(/^pnl_[0-9A-Za-z]{40}$/)
    expect(token.prefix).toBe(secret.slice(0, 12))
    expect(JSON.stringify((await panel.get(`/tokens/${token.id}`)).body)).not.toContain(secret)
    expect((await panel.get('/tokens')).body).toEqual({ items: [token], total: 1 })
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })
  test('refuses a secret with a wrong checksum without a look-up', async () => {
    const panel = await startPanel()
    const { secret } = (await create(panel)).body
    expect(wellFormed(secret)).toBe(true)
    const all = vi.spyOn(panel.store.sqlite, 'prepare')
    const looked = () => all.mock.calls.filter(([text]) => /tokens/.test(text)).length
    for (let place = 4; place < secret.length; place++) {
      const other = secret[place] === 'x' ? 'y' : 'x'
      const wrong = secret.slice(0, place) + other + secret.slice(place + 1)
      expect((await panel.get('/token', { token: wrong })).code).toBe('unauthenticated')
    }
    expect(looked()).toBe(0)
  })
  test('takes a secret from the Authorization header as Bearer, in any case, and from nowhere else', async () => {
    const panel = await startPanel()
    const { secret } = (await create(panel)).body
    const ask = async (headers: Record<string, string>, path = '/token') =>
      (await panel.get(path, { headers, from: '192.0.2.1' })).status
    expect(await ask({ Authorization: `Bearer ${secret}` })).toBe(200)
    expect(await ask({ Authorization: `bearer  ${secret} ` })).toBe(200)
    for (const wrong of [secret, `Basic ${secret}`, `Bearer ${secret} ${secret}`, 'Bearer', `Bearer ${secret},x`])
      expect(await ask({ Authorization: wrong }), wrong).toBe(401)
    expect(await ask({ 'X-API-Key': secret })).toBe(401)
    expect(await ask({}, `/token?token=${secret}`)).toBe(401)
  })
})

describe('number of tokens', { timeout: 60_000 }, () => {
  const made = async (panel: TestPanel, path: string, count: number, send: Send = {}) => {
    const each = Array.from({ length: count }, (_, n) =>
      panel.post(path, { name: `t${n}`, scopes: ['read-only'] }, send),
    )
    return (await Promise.all(each)).map(({ status, code }) => code ?? status)
  }
  test('limits the tokens of an account, counted in the change that adds one', async () => {
    const panel = await startPanel()
    const [alice, bob] = [await panel.account('alice'), await panel.account('bob')]
    const path = `/accounts/${alice.id}/tokens`
    expect(await made(panel, path, MAX_TOKENS_PER_ACCOUNT - 1)).not.toContain('limit-reached')
    expect((await made(panel, path, 2)).sort()).toEqual([201, 'limit-reached'])
    expect(await made(panel, `/accounts/${bob.id}/tokens`, 1)).toEqual([201])
    const [{ id }] = (await panel.get(path)).body.items
    await panel.delete(`${path}/${id}`)
    expect((await made(panel, path, 2)).sort()).toEqual([201, 'limit-reached'])
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })
  test("limits a reseller's admin tokens by themselves, and root's not at all", async () => {
    const panel = await startPanel()
    const { id } = await panel.account('rita', { password: 'correct horse battery' })
    await panel.post('/resellers', { account_id: id, acl: ['all'] })
    const browser = new Browser(panel)
    await browser.signIn('rita', 'correct horse battery', 'admin')
    const one = () => browser.post('/tokens', { name: 'one', scopes: ['read-only'] })
    for (let count = 0; count < MAX_TOKENS_PER_ACCOUNT; count++) expect((await one()).status).toBe(201)
    expect((await one()).code).toBe('limit-reached')
    expect(await made(panel, `/accounts/${id}/tokens`, 1)).toEqual([201])
    expect(await made(panel, '/tokens', MAX_TOKENS_PER_ACCOUNT + 1)).not.toContain('limit-reached')
  })
})

describe('choices of a token', () => {
  test('names invalid choices', async () => {
    const panel = await startPanel()
    const wrong: [object, string][] = [
      [{ name: '' }, 'name'],
      [{ name: ' ' }, 'name'],
      [{ name: 'a\nb' }, 'name'],
      [{ name: 'a\u202Eb' }, 'name'],
      [{ name: 'a\0b' }, 'name'],
      [{ name: 'a'.repeat(65) }, 'name'],
      [{ scopes: [] }, 'scopes'],
      [{ scopes: ['full-access', 'accounts:read'] }, 'scopes'],
      [{ scopes: ['full-access', 'read-only'] }, 'scopes'],
      [{ scopes: ['dns:read'] }, 'scopes'],
      [{ scopes: ['accounts'] }, 'scopes'],
      [{ allowed_ips: ['300.1.1.1'] }, 'allowed_ips'],
      [{ allowed_ips: ['10.0.0.0/33'] }, 'allowed_ips'],
      [{ allowed_ips: ['010.0.0.1'] }, 'allowed_ips'],
      [{ allowed_ips: ['example.com'] }, 'allowed_ips'],
      [{ allowed_ips: ['::1/129'] }, 'allowed_ips'],
      [{ allowed_ips: Array(65).fill('10.0.0.1') }, 'allowed_ips'],
      [{ expires_in: '7d' }, 'expires_in'],
      [{ expires_at: panel.clock.now() }, 'expires_at'],
      [{ expires_at: panel.clock.now() + 1, expires_in: 'never' }, 'expires_in'],
    ]
    for (const [fields, field] of wrong)
      expect(problem(await create(panel, fields)), JSON.stringify(fields)).toEqual([400, 'validation', field])
    expect((await panel.get('/tokens')).body.total).toBe(0)
  })
  test('accepts a shared name, and a repeated scope', async () => {
    const panel = await startPanel()
    await create(panel)
    const { token } = (await create(panel, { scopes: ['accounts:read', 'accounts:read'] })).body
    expect(token).toMatchObject({ name: 'billing', scopes: ['accounts:read'] })
  })
  test('expires a token at its time to the millisecond', async () => {
    const panel = await startPanel()
    const now = panel.clock.now()
    const made = async (fields: object) => (await create(panel, fields)).body
    expect((await made({ expires_in: '30d' })).token.expires_at).toBe(now + 30 * day)
    expect((await made({ expires_in: '90d' })).token.expires_at).toBe(now + 90 * day)
    expect((await made({ expires_in: '1y' })).token.expires_at).toBe(now + 365 * day)
    const never = await made({ expires_in: 'never' })
    const soon = await made({ expires_at: now + 1000 })
    expect(never.token).not.toHaveProperty('expires_at')
    const works = async (token: string) => (await panel.get('/token', { token })).status
    panel.clock.jump(999)
    expect([await works(soon.secret), await works(never.secret)]).toEqual([200, 200])
    panel.clock.jump(1)
    expect([await works(soon.secret), await works(never.secret)]).toEqual([401, 200])
    panel.clock.jump(3650 * day)
    expect(await works(never.secret)).toBe(200)
  })
})

describe('addresses a token may be used from', () => {
  test('compares addresses as such, in either spelling', async () => {
    const panel = await startPanel()
    const allowed = async (allowed_ips: string[], from: string) => {
      const { secret } = (await create(panel, { allowed_ips })).body
      const reply = await panel.get('/token', { token: secret, from })
      return reply.code ?? reply.status
    }
    expect(await allowed(['192.0.2.7'], '192.0.2.7')).toBe(200)
    expect(await allowed(['192.0.2.7'], '192.0.2.8')).toBe('token-ip')
    expect(await allowed(['192.0.2.7'], '::ffff:192.0.2.7')).toBe(200)
    expect(await allowed(['::ffff:192.0.2.7'], '192.0.2.7')).toBe(200)
    expect(await allowed(['::ffff:c000:207'], '192.0.2.7')).toBe(200)
    expect(await allowed(['192.0.2.0/25'], '192.0.2.127')).toBe(200)
    expect(await allowed(['192.0.2.0/25'], '192.0.2.128')).toBe('token-ip')
    expect(await allowed(['192.0.2.0/25'], '::ffff:192.0.2.127')).toBe(200)
    expect(await allowed(['0.0.0.0/0'], '2001:db8::1')).toBe('token-ip')
    expect(await allowed(['::/0'], '192.0.2.7')).toBe('token-ip')
    expect(await allowed(['2001:db8::/32'], '2001:0DB8:0:0::1')).toBe(200)
    expect(await allowed(['2001:db8::/32'], '2001:db9::1')).toBe('token-ip')
    expect(await allowed(['2001:db8::/32', '192.0.2.7'], '192.0.2.7')).toBe(200)
    expect(await allowed(['fe80::1'], 'fe80::1%eth0')).toBe(200)
    expect(await allowed([], '203.0.113.200')).toBe(200)
  })
  test('takes no address from an untrusted proxy', async () => {
    const panel = await startPanel({ trusts: (address) => address === '10.0.0.1' })
    const { secret } = (await create(panel, { allowed_ips: ['192.0.2.7'] })).body
    const ask = async (from: string, forwarded: string) => {
      const headers = { 'X-Forwarded-For': forwarded }
      return (await panel.get('/token', { token: secret, from, headers })).status
    }
    expect(await ask('203.0.113.9', '192.0.2.7')).toBe(403)
    expect(await ask('10.0.0.1', '192.0.2.7')).toBe(200)
    expect(await ask('::ffff:10.0.0.1', '192.0.2.7')).toBe(200)
    expect(await ask('10.0.0.1', '192.0.2.7, 203.0.113.9')).toBe(403)
    expect(await ask('10.0.0.1', '203.0.113.9, 192.0.2.7')).toBe(200)
    expect(await ask('10.0.0.1', 'nonsense')).toBe(403)
  })
  test('does not limit the local socket, which has no address', async () => {
    const panel = await startPanel()
    const { secret } = (await create(panel, { allowed_ips: ['0.0.0.0/0', '::/0'] })).body
    const reply = await panel.get('/token', { headers: { Authorization: `Bearer ${secret}` } })
    expect(reply.code).toBe('token-ip')
  })
})

describe('token', () => {
  test('acts as itself on the local socket, not as root', async () => {
    const panel = await startPanel()
    const { secret } = (await create(panel)).body
    const headers = { Authorization: `Bearer ${secret}` }
    expect((await panel.get('/accounts', { headers })).status).toBe(200)
    expect((await panel.get('/packages', { headers })).code).toBe('token-scope')
    expect((await panel.get('/tokens', { headers })).code).toBe('token-scope')
  })
  test('refuses a revoked token from the next request on, and deletes it', async () => {
    const panel = await startPanel()
    const { secret, token } = (await create(panel)).body
    expect((await panel.get('/token', { token: secret })).status).toBe(200)
    expect((await panel.delete(`/tokens/${token.id}`)).status).toBe(204)
    expect((await panel.get('/token', { token: secret })).code).toBe('unauthenticated')
    expect((await panel.delete(`/tokens/${token.id}`)).code).toBe('not-found')
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })
  test('shows its last use at once, and writes it once a minute', async () => {
    const panel = await startPanel()
    const { secret, token } = (await create(panel)).body
    const stored = () =>
      panel.store.sqlite.prepare('SELECT last_used_at, last_used_ip FROM tokens WHERE id = ?').get(token.id)
    const visible = async () => {
      const { last_used_at, last_used_ip } = (await panel.get(`/tokens/${token.id}`)).body
      return { last_used_at, last_used_ip }
    }
    expect(await visible()).toEqual({ last_used_at: undefined, last_used_ip: undefined })
    const first = { last_used_at: panel.clock.now(), last_used_ip: '198.51.100.1' }
    await panel.get('/token', { token: secret, from: '198.51.100.1' })
    expect([await visible(), stored()]).toEqual([first, { last_used_at: null, last_used_ip: null }])
    await panel.clock.advance(59_000)
    const second = { last_used_at: panel.clock.now(), last_used_ip: '198.51.100.2' }
    await panel.get('/token', { token: secret, from: '198.51.100.2' })
    expect([await visible(), stored()]).toEqual([second, { last_used_at: null, last_used_ip: null }])
    await panel.clock.advance(1000)
    expect(stored()).toEqual(second)
    await panel.clock.advance(600_000)
    expect([await visible(), stored()]).toEqual([second, second])
  })
  test('limits a token of an account to its own account and what is below it', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const bob = await panel.account('bob')
    const token = await panel.token(['full-access'], { account: alice.id })
    expect((await panel.get(`/accounts/${alice.id}`, { token })).body.username).toBe('alice')
    expect((await panel.get(`/accounts/${bob.id}`, { token })).code).toBe('token-scope')
    expect((await panel.get('/accounts', { token })).code).toBe('token-scope')
    expect((await panel.get('/token', { token })).body).toMatchObject({
      kind: 'account',
      principal_type: 'account',
      principal_name: 'alice',
      account_id: alice.id,
      server: 'host.example',
    })
  })
  test('lists a token of an account below that account only', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const bob = await panel.account('bob')
    const made = (await panel.post(`/accounts/${alice.id}/tokens`, { name: 'deploy', scopes: ['dns:write'] })).body
      .token
    expect((await panel.get(`/accounts/${alice.id}/tokens`)).body.total).toBe(1)
    expect((await panel.get(`/accounts/${bob.id}/tokens`)).body.total).toBe(0)
    expect((await panel.get('/tokens')).body.total).toBe(0)
    expect((await panel.get(`/tokens/${made.id}`)).code).toBe('not-found')
    expect((await panel.delete(`/accounts/${bob.id}/tokens/${made.id}`)).code).toBe('not-found')
    expect((await panel.delete(`/accounts/${alice.id}/tokens/${made.id}`)).status).toBe(204)
  })
  test('refuses a token of a suspended account, and accepts it again afterwards', async () => {
    const panel = await startPanel()
    const { id } = await panel.account('alice')
    const token = await panel.token(['full-access'], { account: id })
    await panel.post(`/accounts/${id}/suspend`, {})
    expect((await panel.get(`/accounts/${id}`, { token })).code).toBe('account-suspended')
    await panel.post(`/accounts/${id}/unsuspend`)
    expect((await panel.get(`/accounts/${id}`, { token })).status).toBe(200)
  })
  test('describes a token to its holder: the socket has none, others must sign in', async () => {
    const panel = await startPanel()
    expect((await panel.get('/token')).code).toBe('not-found')
    expect((await panel.get('/token', { from: '192.0.2.1' })).code).toBe('unauthenticated')
    const { secret, token } = (await create(panel)).body
    expect((await panel.get('/token', { token: secret })).body).toEqual({
      ...token,
      last_used_at: panel.clock.now(),
      last_used_ip: '192.0.2.1',
      kind: 'admin',
      principal_name: 'root',
      server: 'host.example',
    })
  })
})

test('a full disk loses no last use and does not prevent a shutdown', async () => {
  const panel = await startPanel()
  const { secret, token } = (await create(panel)).body
  await panel.get('/token', { token: secret })
  const change = vi.spyOn(panel.store, 'change').mockRejectedValue(new Error('the disk is full'))
  await panel.clock.advance(60_000)
  expect(panel.logged.some((line) => line.includes('last-used times could not be written'))).toBe(true)
  change.mockRestore()
  const used = panel.clock.now()
  await panel.get('/token', { token: secret })
  await panel.clock.advance(60_000)
  expect((await panel.get(`/tokens/${token.id}`)).body.last_used_at).toBe(used)
})

test('the OpenAPI document is public, whatever credentials are sent', async () => {
  const panel = await startPanel()
  for (const headers of [{}, { Authorization: 'Bearer wrong' }, { Authorization: 'Basic eDp5' }]) {
    const { status, body } = await panel.get('/openapi.json', { from: '192.0.2.1', headers })
    expect([status, body.openapi]).toEqual([200, expect.stringMatching(/^3\.1\./)])
  }
})
