import { expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { httpsSite } from '../https-site.ts'
import { Visitor } from '../web/visitor.ts'
import { callback, OAuthClient, register, withAlice } from './oauth-client.ts'

/** A site that publishes a client's metadata. */
async function publisher() {
  const { origin, ...rest } = await httpsSite('agent.example')
  return { id: `${origin}/client.json`, ...rest }
}

test('a client is known by the address of its metadata document, which is fetched for people who are signed in', async () => {
  const { site, id, publish, guards } = await publisher()
  const panel = await startPanel({ outgoing: guards })
  const { alice, visitor } = await withAlice(panel)
  const client = new OAuthClient(panel, id)
  publish({ client_id: id, client_name: 'Published', redirect_uris: [callback] })
  expect((await new Visitor(panel).get(client.path())).headers.get('location')).toMatch(/^\/user\/login/)
  expect(site.received).toHaveLength(0)
  const { access_token } = await client.tokens(visitor)
  expect(access_token).toMatch(/^pnl_/)
  // What the person saw is what the form redirects to.
  expect(site.received).toHaveLength(1)
  const [token] = (await panel.get(`/accounts/${alice.id}/tokens`)).body.items
  expect(token).toMatchObject({ name: 'Published', client: { id, name: 'Published', host: 'agent.example' } })
  expect((await visitor.get(client.path({ redirect_uri: 'https://evil.example/' }))).status).toBe(400)
  await panel.patch('/settings', { mcp_clients: ['claude.ai'] })
  expect((await visitor.get(client.path())).status).toBe(400)
})

test('a document that is not its own, redirects, is too large, or leads inside is refused', async () => {
  const { site, id, publish, guards } = await publisher()
  let address = '127.0.0.2'
  const panel = await startPanel({ outgoing: { ...guards, resolve: async () => [address] } })
  const { visitor } = await withAlice(panel)
  const client = new OAuthClient(panel, id)
  const own = { client_id: id, redirect_uris: [callback] }
  const status = async () => (await visitor.get(client.path())).status
  for (const content of [
    { ...own, client_id: 'https://agent.example/client.json' },
    { redirect_uris: [callback] },
    { ...own, redirect_uris: ['http://agent.example/'] },
    { ...own, pad: 'x'.repeat(16 * 1024) },
    'null',
    'not JSON',
  ]) {
    publish(content)
    expect([JSON.stringify(content).slice(0, 80), await status()]).toEqual([expect.any(String), 400])
  }
  publish('', 302, { location: id })
  expect(await status()).toBe(400)
  publish(own, 404)
  expect(await status()).toBe(400)
  const before = site.received.length
  address = '127.0.0.1'
  publish(own)
  expect(await status()).toBe(400)
  for (const other of [
    'https://127.0.0.1/c.json',
    'https://localhost/c.json',
    'https://host.example:7711/c',
    'https://agent.example',
    'https://agent.example:22/c',
    'https://u@agent.example/c',
    'https://agent.example/a/../c',
  ])
    expect([other, (await visitor.get(new OAuthClient(panel, other).path())).status]).toEqual([other, 400])
  expect(site.received.length).toBe(before)
  address = '127.0.0.2'
  expect(await status()).toBe(200)
  // An id of a registered client is never an address.
  expect((await register(panel, { client_id: id, redirect_uris: [callback] })).body.client_id).not.toBe(id)
})
