import { auth, type OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthClientInformation, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startPanel, type TestPanel } from '../harness.ts'
import { password, textOf, Visitor } from '../web/visitor.ts'
import { Agent } from './agent.ts'
import {
  answerConsent,
  answerIn,
  callback,
  OAuthClient,
  origin,
  post,
  register,
  resource,
  submitConsent,
  withAlice,
} from './oauth-client.ts'

/** What a client of the SDK keeps of its connection. */
class Provider implements OAuthClientProvider {
  readonly redirectUrl = callback
  readonly clientMetadata = { client_name: 'SDK', redirect_uris: [callback] }
  client: OAuthClientInformation | undefined
  saved: OAuthTokens | undefined
  verifier = ''
  sentTo: URL | undefined
  clientInformation = () => this.client
  saveClientInformation = (client: OAuthClientInformation): void => {
    this.client = client
  }
  tokens = () => this.saved
  saveTokens = (tokens: OAuthTokens): void => {
    this.saved = tokens
  }
  redirectToAuthorization = (url: URL): void => {
    this.sentTo = url
  }
  saveCodeVerifier = (verifier: string): void => {
    this.verifier = verifier
  }
  codeVerifier = () => this.verifier
}

const fetchOf =
  (panel: TestPanel) =>
  (url: string | URL, init?: RequestInit): Promise<Response> =>
    Promise.resolve(panel.panel.app.fetch(new Request(url, init), { address: '192.0.2.1' }))

async function connected(panel: TestPanel, provider: Provider): Promise<Agent> {
  const client = new Client({ name: 'test-agent', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(resource), {
    authProvider: provider,
    fetch: fetchOf(panel),
  })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return new Agent(client)
}

const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })

const useAt = (panel: TestPanel, token: string) =>
  panel.post(resource, ping, {
    token,
    from: '192.0.2.1',
    headers: { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' },
  })

test("the SDK's client connects, reads within its scopes, refreshes and is listed with its name", async () => {
  const panel = await startPanel()
  const { alice, visitor } = await withAlice(panel)
  await panel.account('bob')
  const provider = new Provider()
  const options = { serverUrl: resource, fetchFn: fetchOf(panel) }
  expect(await auth(provider, options)).toBe('REDIRECT')
  const { pathname, search } = provider.sentTo!
  const answer = answerIn(await answerConsent(visitor, pathname + search, { scopes: ['dns:read', 'account:read'] }))
  expect(answer.get('iss')).toBe(origin)
  expect(await auth(provider, { ...options, authorizationCode: answer.get('code')! })).toBe('AUTHORIZED')
  expect(provider.saved).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'dns:read account:read' })
  const agent = await connected(panel, provider)
  expect((await agent.call('read', { id: 'getAccount' })).content.answer.username).toBe('alice')
  const { items } = (await panel.get(`/accounts/${alice.id}/tokens`)).body
  expect(items).toMatchObject([
    { name: 'SDK', client: { id: provider.client!.client_id, name: 'SDK', host: 'agent.example' } },
  ])
  // The access token ends after an hour; the SDK renews it on 401.
  const before = provider.saved!.access_token
  await panel.clock.advance(3_600_001)
  expect((await agent.call('read', { id: 'getAccount' })).content.answer.username).toBe('alice')
  expect(provider.saved!.access_token).not.toBe(before)
  expect((await panel.get(`/accounts/${alice.id}/tokens`)).body.items).toHaveLength(1)
  expect((await panel.delete(`/accounts/${alice.id}/tokens/${items[0].id}`)).status).toBe(204)
  expect((await useAt(panel, provider.saved!.access_token)).status).toBe(401)
})

describe('metadata', () => {
  test('is absent unless /mcp is served', async () => {
    const panel = await startPanel()
    for (const path of ['/.well-known/oauth-authorization-server', '/.well-known/oauth-protected-resource/mcp'])
      expect((await panel.get(`${origin}${path}`)).status).toBe(404)
    expect((await panel.get(`${origin}/oauth/authorize?client_id=x`)).status).toBe(404)
    for (const path of ['register', 'token', 'revoke'])
      expect((await panel.post(`${origin}/oauth/${path}`, {})).status).toBe(404)
  })

  test('names every endpoint, S256 alone, and iss (RFC 8414, RFC 9728, RFC 9207)', async () => {
    const panel = await startPanel()
    await panel.patch('/settings', { mcp_http: true })
    const { body, headers } = await panel.get(`${origin}/.well-known/oauth-authorization-server`)
    expect(body).toMatchObject({
      issuer: origin,
      authorization_endpoint: `${origin}/oauth/authorize`,
      token_endpoint: `${origin}/oauth/token`,
      registration_endpoint: `${origin}/oauth/register`,
      revocation_endpoint: `${origin}/oauth/revoke`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    })
    expect(body.scopes_supported).not.toContain('full-access')
    expect(headers.get('cache-control')).toBe('no-store')
    const own = (await panel.get(`${origin}/.well-known/oauth-protected-resource/mcp`)).body
    expect(own).toMatchObject({ resource, authorization_servers: [origin] })
  })

  test('a token that ended is answered with invalid_token', async () => {
    const panel = await startPanel()
    await panel.patch('/settings', { mcp_http: true })
    const reply = await useAt(panel, 'pnl_wrong')
    expect(reply.status).toBe(401)
    expect(reply.headers.get('www-authenticate')).toMatch(
      /resource_metadata="[^"]+", scope="[^"]+", error="invalid_token"$/,
    )
  })
})

describe('registration', () => {
  const bad = [
    'http://agent.example/cb',
    'https://agent.example/cb#part',
    'https://user@agent.example/cb',
    'javascript:alert(1)',
    'data:text/html,x',
    'myapp://callback',
    'http://127.0.0.1.agent.example/cb',
    'http://localhost.agent.example/cb',
    'https://agent.example/\\@evil',
    '//agent.example/cb',
    'https://agent.example/a b',
    'https://agent.example;sandbox/cb',
    'https://agent.example,b/cb',
    '',
    7,
  ]
  test.each(bad)('refuses the redirect URI %j', async (uri) => {
    const panel = await startPanel()
    await panel.patch('/settings', { mcp_http: true })
    const { status, body } = await register(panel, { redirect_uris: [callback, uri] })
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri'])
  })

  test('takes https and loopback addresses, and answers a public client', async () => {
    const panel = await startPanel()
    await panel.patch('/settings', { mcp_http: true })
    const redirect_uris = [callback, 'http://localhost:9/cb', 'http://127.0.0.1:33418/', 'http://[::1]:1234/cb?x=1']
    const made = await register(panel, {
      redirect_uris,
      client_name: 'A\u202eB\u0000',
      token_endpoint_auth_method: 'client_secret_basic',
    })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({ client_name: 'A B', redirect_uris, token_endpoint_auth_method: 'none' })
    expect(made.body.client_secret).toBeUndefined()
    const { status, body } = await register(panel, { redirect_uris, grant_types: ['client_credentials'] })
    expect([status, body.error]).toEqual([400, 'invalid_client_metadata'])
    for (const redirect_uris of [undefined, [], 'x', Array(11).fill(callback)])
      expect((await register(panel, { redirect_uris })).status).toBe(400)
  })

  test('is limited to 10 an hour from a network, and unused clients go after a day', async () => {
    const panel = await startPanel()
    await panel.patch('/settings', { mcp_http: true })
    const body = { redirect_uris: [callback] }
    for (let at = 0; at < 10; at++) expect((await register(panel, body, `2001:db8:0:1::${at}`)).status).toBe(201)
    const flood = await register(panel, body, '2001:db8:0:1::ff')
    expect([flood.status, flood.headers.get('retry-after')]).toEqual([429, '3600'])
    expect((await register(panel, body, '2001:db8:0:2::1')).status).toBe(201)
    const total = () => panel.store.sqlite.prepare('SELECT count(*) AS total FROM oauth_clients').get()
    expect(total()).toEqual({ total: 11 })
    const dayBefore = panel.clock.now() - 24 * 3_600_000 - 1
    await panel.store.change(() => panel.store.sqlite.prepare('UPDATE oauth_clients SET created_at = ?').run(dayBefore))
    expect((await register(panel, body, '2001:db8:0:1::1')).body).toMatchObject({ client_name: 'agent.example' })
    expect(total()).toEqual({ total: 1 })
  })

  test('is limited to 1,000 in all', async () => {
    const panel = await startPanel()
    await panel.patch('/settings', { mcp_http: true })
    const now = panel.clock.now()
    await panel.store.change(() => {
      const add = panel.store.sqlite.prepare('INSERT INTO oauth_clients VALUES (?, ?, ?, ?, ?)')
      for (let at = 0; at < 1000; at++) add.run(String(at), 'x', '["https://a.example/"]', `192.0.2.${at}`, now)
    })
    expect((await register(panel, { redirect_uris: [callback] })).status).toBe(429)
  })

  test('mcp_clients names the hosts that may be connected', async () => {
    const panel = await startPanel()
    const { visitor } = await withAlice(panel)
    const client = await OAuthClient.register(panel)
    const { access_token, refresh_token } = await client.tokens(visitor)
    await panel.patch('/settings', { mcp_clients: ['claude.ai'] })
    expect((await register(panel, { redirect_uris: [callback] })).body.error).toBe('invalid_redirect_uri')
    expect((await register(panel, { redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] })).status).toBe(201)
    expect((await visitor.get(client.path())).status).toBe(400)
    expect((await useAt(panel, access_token)).status).toBe(401)
    expect((await client.refresh(refresh_token)).body.error).toBe('invalid_grant')
    await panel.patch('/settings', { mcp_clients: [] })
    expect((await useAt(panel, access_token)).status).toBe(200)
    expect((await panel.patch('/settings', { mcp_clients: ['HTTPS://x'] })).status).toBe(400)
  })
})

describe('authorization', () => {
  test('a wrong client or redirect is a page, never a redirect', async () => {
    const panel = await startPanel()
    const { visitor } = await withAlice(panel)
    const client = await OAuthClient.register(panel, [callback, 'https://agent.example/other'])
    const stranger = new Visitor(panel)
    const wrong = [
      { client_id: 'nobody' },
      { client_id: undefined },
      { client_id: 'https://agent.example/client.json' },
      { redirect_uri: undefined },
      { redirect_uri: 'https://evil.example/' },
      { redirect_uri: `${callback}/` },
      { redirect_uri: `${callback}?x=1` },
      { redirect_uri: 'https://AGENT.example/callback' },
      { redirect_uri: `${callback}#` },
    ]
    for (const more of wrong)
      for (const who of [visitor, stranger]) {
        const reply = await who.get(client.path(more))
        if (who === stranger && more.client_id?.startsWith('https')) continue
        expect([reply.status, reply.headers.get('location')], JSON.stringify(more)).toEqual([400, null])
      }
    const twice = await visitor.get(`${client.path()}&redirect_uri=https%3A%2F%2Fevil.example%2F`)
    expect([twice.status, twice.headers.get('location')]).toEqual([400, null])
  })

  test.each([
    ['response_type', 'token', 'unsupported_response_type'],
    ['code_challenge', undefined, 'invalid_request'],
    ['code_challenge', 'short', 'invalid_request'],
    ['code_challenge_method', undefined, 'invalid_request'],
    ['code_challenge_method', 'plain', 'invalid_request'],
    ['scope', 'full-access', 'invalid_scope'],
    ['scope', 'dns:read everything', 'invalid_scope'],
    ['resource', 'https://other.example/mcp', 'invalid_target'],
  ])('%s=%s is answered with an error at the client, with state and iss', async (name, value, error) => {
    const panel = await startPanel()
    const { visitor } = await withAlice(panel)
    const client = await OAuthClient.register(panel)
    const path = client.path({ [name]: value })
    // A visitor is sent to a client only after signing in, so the panel redirects no strangers.
    const stranger = await new Visitor(panel).get(path)
    expect(stranger.headers.get('location')).toMatch(/^\/user\/login\?next=/)
    const reply = await visitor.get(path)
    expect(reply.status).toBe(302)
    expect(Object.fromEntries(answerIn(reply))).toMatchObject({ error, state: 'xyz', iss: origin })
    expect(answerIn(reply).get('code')).toBeNull()
  })

  test('asks to sign in first, and goes on to the consent', async () => {
    const panel = await startPanel()
    await withAlice(panel)
    const client = await OAuthClient.register(panel)
    const visitor = new Visitor(panel)
    const sent = await visitor.get(client.path())
    const login = sent.headers.get('location')!
    const next = new URL(login, origin).searchParams.get('next')!
    expect(next).toBe(client.path())
    const signedIn = await visitor.post('/user/login', { username: 'alice', password, next })
    expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, client.path()])
    const evil = await visitor.post('/user/login', { username: 'alice', password, next: '/oauth/authorize/../x' })
    expect(evil.headers.get('location')).toBe('/user/')
  })

  test('the page names client, address, account and scopes, and lets its form redirect to the client alone', async () => {
    const panel = await startPanel()
    const { visitor } = await withAlice(panel)
    const client = await OAuthClient.register(panel, [callback], '<b>Claude</b>')
    const page = await visitor.get(client.path({ scope: 'dns:write email:read' }))
    const text = textOf(page.body)
    for (const part of [
      '<b>Claude</b>',
      'agent.example',
      'alice',
      'DNS zones: read and change',
      'Mailboxes and forwarders: read',
    ])
      expect(text).toContain(part)
    expect(page.body).not.toContain('<b>Claude')
    expect(page.body).not.toContain('cron:')
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https://agent.example;")
    expect(page.headers.get('x-frame-options')).toBe('DENY')
  })

  test('a refusal is access_denied', async () => {
    const panel = await startPanel()
    const { alice, visitor } = await withAlice(panel)
    const client = await OAuthClient.register(panel)
    const answer = await client.consent(visitor, { decision: 'refuse' })
    expect(Object.fromEntries(answer)).toEqual({ error: 'access_denied', state: 'xyz', iss: origin })
    expect((await panel.get(`/accounts/${alice.id}/tokens`)).body.items).toEqual([])
  })

  test('consent from another site, or another session, is refused', async () => {
    const panel = await startPanel()
    const { alice, visitor } = await withAlice(panel)
    await panel.account('bob', { password })
    const bob = await new Visitor(panel).signIn('bob')
    const client = await OAuthClient.register(panel)
    const form = { decision: 'connect', access: 'read-only', days: '30' }
    expect((await visitor.post(client.path(), form)).status).toBe(403)
    const page = await bob.get(client.path())
    const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(page.body)![1]!
    expect((await visitor.post(client.path(), { ...form, csrf_token })).status).toBe(403)
    const own = await visitor.get(client.path())
    const mine = /name="csrf_token" value="([^"]+)"/.exec(own.body)![1]!
    const foreign = { Origin: 'https://agent.example' }
    expect((await visitor.post(client.path(), { ...form, csrf_token: mine }, foreign)).status).toBe(403)
    expect((await panel.get(`/accounts/${alice.id}/tokens`)).body.items).toEqual([])
  })

  test('needs the password once it was confirmed too long ago', async () => {
    const panel = await startPanel()
    const { visitor } = await withAlice(panel)
    const client = await OAuthClient.register(panel)
    await panel.clock.advance(16 * 60_000)
    const again = await answerConsent(visitor, client.path())
    expect(again.status).toBe(403)
    expect(again.body).toContain('name="_password"')
    const wrong = await submitConsent(visitor, again, { _password: 'wrong horse battery' })
    expect(wrong.status).toBe(400)
    const done = await submitConsent(visitor, wrong, { _password: password })
    expect(answerIn(done).get('code')).toMatch(/^pnc_/)
  })

  test('consent is refused while acting as someone else', async () => {
    const panel = await startPanel()
    const { alice } = await withAlice(panel)
    const client = await OAuthClient.register(panel)
    const { url } = (await panel.post(`/accounts/${alice.id}/login-as`, {})).body
    const admin = new Visitor(panel)
    await admin.get(new URL(url).pathname + new URL(url).search)
    const acting = await admin.get(client.path())
    expect(acting.status).toBe(403)
    const page = await admin.get('/user/')
    expect(page.status).toBe(200)
    const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(page.body)![1]!
    expect((await admin.post(client.path(), { decision: 'connect', csrf_token })).status).toBe(403)
    expect((await panel.get(`/accounts/${alice.id}/tokens`)).body.items).toEqual([])
  })

  test('scopes can be narrowed, never widened', async () => {
    const panel = await startPanel()
    const { alice, visitor } = await withAlice(panel)
    const client = await OAuthClient.register(panel)
    const path = client.path({ scope: 'dns:write' })
    for (const scopes of [['dns:write', 'email:write'], ['full-access'], ['accounts:write'], []])
      expect((await answerConsent(visitor, path, { scopes })).status, String(scopes)).toBe(400)
    const widened = answerIn(await answerConsent(visitor, path, { access: 'read-only' }))
    const granted = (await client.exchange(widened.get('code')!)).body.scope.split(' ')
    expect(granted.toSorted()).toEqual(['dns:read', 'dns:write'])
    for (const days of ['0', '366', '1.5', 'x'])
      expect((await answerConsent(visitor, path, { scopes: ['dns:read'], days })).status).toBe(400)
    const narrowed = answerIn(await answerConsent(visitor, path, { scopes: ['dns:read'] }))
    const { body } = await client.exchange(narrowed.get('code')!)
    expect(body.scope).toBe('dns:read')
    expect((await client.refresh(body.refresh_token, { scope: 'dns:read dns:write' })).body.error).toBe('invalid_scope')
    expect(
      (await panel.get(`/accounts/${alice.id}/tokens`)).body.items.map((one: { scopes: string[] }) => one.scopes),
    ).toContainEqual(['dns:read'])
  })

  test("an administrator's page says how many accounts it reaches, and can name one", async () => {
    const panel = await startPanel()
    await withAlice(panel)
    await panel.account('bob')
    await panel.put('/root/password', { new_password: password })
    const root = await new Visitor(panel).signIn('root', 'admin')
    const client = await OAuthClient.register(panel)
    const page = await root.get(client.path())
    expect(textOf(page.body)).toContain('all accounts of this server: 2.')
    const all = await client.tokens(root, { scopes: ['accounts:read'] })
    expect(all.scope).toBe('accounts:read')
    expect((await panel.get('/tokens')).body.items).toMatchObject([{ client: { host: 'agent.example' } }])
    expect((await answerConsent(root, client.path(), { account: 'nobody' })).status).toBe(400)
    const one = await client.tokens(root, { account: 'bob', scopes: ['dns:read'] })
    expect(one.scope).toBe('dns:read')
    const bob = (await panel.get('/lookup?name=bob&kind=account')).body.items[0].id
    expect((await panel.get(`/accounts/${bob}/tokens`)).body.items).toHaveLength(1)
  })
})

describe('tokens', () => {
  test('codes need their verifier, client, address and minute', async () => {
    const panel = await startPanel()
    const { visitor } = await withAlice(panel)
    const client = await OAuthClient.register(panel, [callback, 'https://agent.example/other'])
    const other = await OAuthClient.register(panel)
    const code = await client.code(visitor)
    const wrong: [Record<string, string | undefined>, string][] = [
      [{ code_verifier: other.verifier }, 'invalid_grant'],
      [{ code_verifier: client.challenge }, 'invalid_grant'],
      [{ code_verifier: undefined }, 'invalid_request'],
      [{ client_id: other.id }, 'invalid_grant'],
      [{ client_id: undefined }, 'invalid_request'],
      [{ redirect_uri: 'https://agent.example/other' }, 'invalid_grant'],
      [{ redirect_uri: undefined }, 'invalid_request'],
      [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
      [{ code: `${code}x` }, 'invalid_grant'],
      [{ grant_type: 'password' }, 'unsupported_grant_type'],
    ]
    for (const [more, error] of wrong) {
      const reply = await client.exchange(code, more)
      expect([reply.status, reply.body.error, reply.headers.get('cache-control')], JSON.stringify(more)).toEqual([
        400,
        error,
        'no-store',
      ])
    }
    await panel.clock.advance(59_000)
    expect((await client.exchange(code, { resource })).status).toBe(200)
    const late = await client.code(visitor)
    await panel.clock.advance(60_000)
    expect((await client.exchange(late)).body.error).toBe('invalid_grant')
    const json = await panel.post(`${origin}/oauth/token`, { grant_type: 'authorization_code' })
    expect([json.status, json.body.error]).toEqual([400, 'invalid_request'])
    const repeated = 'grant_type=refresh_token&refresh_token=a&refresh_token=b&client_id=x'
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    expect((await panel.post(`${origin}/oauth/token`, repeated, { headers })).body.error).toBe('invalid_request')
  })

  test('a code used twice revokes what it led to', async () => {
    const panel = await startPanel()
    const { alice, visitor } = await withAlice(panel)
    const client = await OAuthClient.register(panel)
    const code = await client.code(visitor)
    const { access_token, refresh_token } = (await client.exchange(code)).body
    expect((await useAt(panel, access_token)).status).toBe(200)
    expect((await client.exchange(code)).body.error).toBe('invalid_grant')
    expect((await useAt(panel, access_token)).status).toBe(401)
    expect((await client.refresh(refresh_token)).body.error).toBe('invalid_grant')
    expect((await panel.get(`/accounts/${alice.id}/tokens`)).body.items).toEqual([])
  })

  test('a refresh token works once; used again it revokes the grant', async () => {
    const panel = await startPanel()
    const { visitor } = await withAlice(panel)
    const client = await OAuthClient.register(panel)
    const other = await OAuthClient.register(panel)
    const first = await client.tokens(visitor)
    expect((await other.refresh(first.refresh_token)).body.error).toBe('invalid_grant')
    expect((await client.refresh(first.refresh_token, { resource: `${resource}/x` })).body.error).toBe('invalid_target')
    const second = (await client.refresh(first.refresh_token, { resource })).body
    expect((await useAt(panel, first.access_token)).status).toBe(401)
    expect((await useAt(panel, second.access_token)).status).toBe(200)
    expect((await client.refresh(first.refresh_token)).body.error).toBe('invalid_grant')
    expect((await useAt(panel, second.access_token)).status).toBe(401)
    expect((await client.refresh(second.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('a grant ends with its days and by revocation, and is refused while the account is suspended', async () => {
    const panel = await startPanel()
    const { alice, visitor } = await withAlice(panel)
    const client = await OAuthClient.register(panel)
    const short = await client.tokens(visitor, { days: '1' })
    const [{ expires_at }] = (await panel.get(`/accounts/${alice.id}/tokens`)).body.items
    expect(expires_at).toBe(panel.clock.now() + 24 * 3_600_000)
    const soon = panel.clock.now() + 1000
    await panel.store.change(() => panel.store.sqlite.prepare('UPDATE tokens SET expires_at = ?').run(soon))
    const renewed = (await client.refresh(short.refresh_token)).body
    expect(renewed.expires_in).toBe(1)
    await panel.clock.advance(1000)
    expect((await useAt(panel, renewed.access_token)).status).toBe(401)
    expect((await client.refresh(renewed.refresh_token)).body.error).toBe('invalid_grant')
    const again = await new Visitor(panel).signIn('alice')
    const one = await client.tokens(again)
    const other = await OAuthClient.register(panel)
    for (const id of [other.id, client.id]) {
      const reply = await post(panel, '/oauth/revoke', { token: one.refresh_token, client_id: id })
      expect(reply.status).toBe(200)
      expect((await useAt(panel, one.access_token)).status).toBe(id === client.id ? 401 : 200)
    }
    expect((await post(panel, '/oauth/revoke', { token: 'unknown', client_id: client.id })).status).toBe(200)
    expect((await post(panel, '/oauth/revoke', { token: 'unknown' })).body.error).toBe('invalid_request')
    const two = await client.tokens(again)
    await panel.post(`/accounts/${alice.id}/suspend`, {})
    await panel.settle()
    const read = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'read', arguments: { id: 'listDnsZones' } },
    }
    const reply = await panel.post(resource, read, {
      token: two.access_token,
      headers: { Accept: 'application/json, text/event-stream' },
    })
    expect(JSON.stringify(reply.body)).toContain('account-suspended')
  })

  test('are for /mcp alone; one of another resource is refused there', async () => {
    const panel = await startPanel()
    const { alice, visitor } = await withAlice(panel)
    const client = await OAuthClient.register(panel)
    const { access_token } = await client.tokens(visitor)
    const atApi = await panel.get(`/accounts/${alice.id}`, { token: access_token, from: '192.0.2.1' })
    expect([atApi.status, atApi.code]).toEqual([401, 'unauthenticated'])
    await panel.store.change(() =>
      panel.store.sqlite.prepare(`UPDATE tokens SET resource = 'https://other.example/mcp'`).run(),
    )
    expect((await useAt(panel, access_token)).status).toBe(401)
  })

  test('a grant whose client never came is removed', async () => {
    const panel = await startPanel()
    const { alice, visitor } = await withAlice(panel)
    const client = await OAuthClient.register(panel)
    await client.code(visitor)
    await panel.clock.advance(10 * 60_000)
    await client.tokens(visitor)
    expect((await panel.get(`/accounts/${alice.id}/tokens`)).body.items).toHaveLength(1)
  })

  test('no secret of a grant is stored, logged or audited', async () => {
    const panel = await startPanel()
    const { visitor } = await withAlice(panel)
    const client = await OAuthClient.register(panel)
    const code = await client.code(visitor)
    const { access_token, refresh_token } = (await client.exchange(code)).body
    const rows = JSON.stringify(
      ['tokens', 'oauth_codes', 'oauth_used_refreshes', 'audit'].map((name) =>
        panel.store.sqlite.prepare(`SELECT * FROM ${name}`).all(),
      ),
    )
    for (const secret of [code, access_token, refresh_token]) {
      expect(rows).not.toContain(secret)
      expect(panel.logged.join()).not.toContain(secret)
    }
  })
})
