import { UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { startPanel, type TestPanel } from '../harness.ts'
import { password, Visitor } from '../web/visitor.ts'
import { connected } from './agent.ts'

const address = 'https://host.example:7711/mcp'

const send = (panel: TestPanel, init: RequestInit, url = address): Promise<Response> =>
  Promise.resolve(panel.panel.app.fetch(new Request(url, init), { address: '192.0.2.1' }))

async function withMcp(): Promise<TestPanel> {
  const panel = await startPanel()
  await panel.patch('/settings', { mcp_http: true })
  return panel
}

const call = (name: string, args: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })

const head = (token: string) => ({
  Authorization: `Bearer ${token}`,
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': '2025-11-25',
})

test('is not there unless it is switched on', async () => {
  const panel = await startPanel()
  for (const path of ['/mcp', '/.well-known/oauth-protected-resource'])
    expect(
      (await send(panel, { method: path === '/mcp' ? 'POST' : 'GET' }, `https://host.example:7711${path}`)).status,
    ).toBe(404)
})

test('takes POST with a token from its own origin', async () => {
  const panel = await withMcp()
  const token = await panel.token(['read-only'])
  const get = await send(panel, { method: 'GET', headers: head(token) })
  expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
  const stranger = await send(panel, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } })
  expect(stranger.status).toBe(401)
  expect(stranger.headers.get('www-authenticate')).toMatch(
    /^Bearer resource_metadata="https:\/\/host.example:7711\/.well-known\/oauth-protected-resource\/mcp", scope="read-only /,
  )
  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  const foreign = await send(panel, {
    method: 'POST',
    body: ping,
    headers: { ...head(token), Origin: 'https://evil.example' },
  })
  expect(foreign.status).toBe(403)
  const own = await send(panel, { method: 'POST', body: ping, headers: head(token) })
  expect([own.status, await own.json(), own.headers.get('mcp-session-id')]).toEqual([
    200,
    { jsonrpc: '2.0', id: 1, result: {} },
    null,
  ])
  const large = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'ping',
    params: { _meta: { x: 'x'.repeat(1024 * 1024) } },
  })
  expect((await send(panel, { method: 'POST', body: large, headers: head(token) })).status).toBe(413)
})

test('describes itself as RFC 9728 says', async () => {
  const panel = await withMcp()
  for (const path of ['', '/mcp']) {
    const url = `https://host.example:7711/.well-known/oauth-protected-resource${path}`
    expect(await (await send(panel, { method: 'GET' }, url)).json()).toMatchObject({
      resource: 'https://host.example:7711/mcp',
      bearer_methods_supported: ['header'],
    })
  }
})

test('a token without the scope gets 403 insufficient_scope with the scope that it lacks', async () => {
  const panel = await withMcp()
  const alice = await panel.account('alice')
  const token = await panel.token(['dns:read'], { account: alice.id })
  const body = call('change', { id: 'updateAccount', input: { theme: 'dark' }, reason: 'test' })
  const refused = await send(panel, { method: 'POST', body, headers: head(token) })
  expect(refused.status).toBe(403)
  expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer error="insufficient_scope", scope="account:write"/)
})

test('the SDK lists, reads and changes within the account of the token', async () => {
  const panel = await withMcp()
  const alice = await panel.account('alice')
  const bob = await panel.account('bob')
  const agent = await connected(panel, await panel.token(['full-access'], { account: alice.id }))
  expect((await agent.client.listTools()).tools).toHaveLength(8)
  expect((await agent.call('read', { id: 'getAccount' })).content.answer.username).toBe('alice')
  for (const name of ['read', 'change'])
    expect(
      (
        await agent.call(name, {
          id: name === 'read' ? 'getAccount' : 'updateAccount',
          input: { id: bob.id },
          ...(name === 'change' && { reason: 'x' }),
        })
      ).content.error.code,
    ).toBe('out-of-reach')
  for (const account of ['bob', bob.id])
    expect((await agent.call('recent', { account })).content.error.code).toBe('out-of-reach')
  expect((await agent.call('recent', { account: 'alice' })).content.error).toBeUndefined()
  const done = await agent.change('updateAccount', { contact_email: 'a@ext.example' }, 'moved')
  expect(done.content.done).toBe(true)
  expect((await panel.get(`/accounts/${alice.id}`)).body.contact_email).toBe('a@ext.example')
})

test('a deletion waits for the person, who approves it at a page, once', async () => {
  const panel = await withMcp()
  const alice = await panel.account('alice', { password })
  await panel.account('bob', { password })
  const zone = `/accounts/${alice.id}/email/forwarders`
  const { forwarder } = (await panel.post(zone, { address: 'x@alice.example', destinations: ['y@ext.example'] })).body
  await panel.settle()
  const agent = await connected(panel, await panel.token(['full-access'], { account: alice.id }))
  const order = { id: 'deleteForwarder', input: { fid: forwarder.id }, reason: 'unused' }
  const { confirm } = (await agent.call('change', order)).content
  const request = await agent.call('change', { ...order, confirm }).catch((error: unknown) => error)
  expect(request).toBeInstanceOf(UrlElicitationRequiredError)
  const { code, elicitations } = request as UrlElicitationRequiredError
  expect(code).toBe(-32042)
  const { url } = elicitations[0] as { url: string }
  const path = new URL(url).pathname
  expect(path).toMatch(/^\/user\/approve\/[\w-]{32}$/)
  // Another user gets 404.
  const bob = await new Visitor(panel).signIn('bob')
  expect((await bob.get(path)).status).toBe(404)
  const visitor = await new Visitor(panel).signIn('alice')
  const page = await visitor.get(path)
  expect(page.status).toBe(200)
  expect(page.body).toContain('Delete a forwarder.')
  expect((await panel.get(`${zone}/${forwarder.id}`)).status).toBe(200)
  const csrf = /name="csrf_token" value="([^"]+)"/.exec(page.body)![1]!
  expect((await visitor.post(path, { csrf_token: csrf, decision: 'approve' })).status).toBe(200)
  const done = await agent.call('change', { ...order, confirm })
  expect(done.content.done).toBe(true)
  const again = await agent.call('change', { ...order, confirm })
  expect(again.content.error.code).toBe('unconfirmed')
})

test('a password that the panel made is visible to the person alone, once', async () => {
  const panel = await withMcp()
  const alice = await panel.account('alice', { password })
  const agent = await connected(panel, await panel.token(['full-access'], { account: alice.id }))
  const done = await agent.change('createMailbox', { address: 'info@alice.example', quota_mb: 100 })
  expect(done.content).toMatchObject({ done: true, secret_url: expect.stringMatching(/\/user\/reveal\/[\w-]{32}$/) })
  const path = new URL(done.content.secret_url).pathname
  const visitor = await new Visitor(panel).signIn('alice')
  const page = await visitor.get(path)
  expect(page.status).toBe(200)
  const csrf = /name="csrf_token" value="([^"]+)"/.exec(page.body)![1]!
  const reply = await visitor.post(path, { csrf_token: csrf })
  const [, secret = ''] = /id="once-password">\s*([A-Za-z0-9]{24})/.exec(reply.body) ?? []
  expect(secret).not.toBe('')
  expect(done.text).not.toContain(secret)
  expect((await visitor.get(path)).status).toBe(404)
})
