import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operationList } from '../src/contract/index.ts'
import type { Declaration } from '../src/contract/operation.ts'
import { type Json, startPanel, type TestPanel } from './harness.ts'
import { alertOf } from './stored-alert.ts'
import { allowed, makeWorld, pathIn, resellerToken } from './world.ts'

const paged = operationList.filter((op) => op.query && 'page' in op.query.shape)

/** A panel with a few of everything that has a paged list. */
async function crowded() {
  const panel = await startPanel()
  const world = await makeWorld(panel)
  for (const name of ['red', 'green', 'blue']) {
    await panel.post('/packages', { name })
    await panel.post('/feature-lists', { name })
    await panel.post('/acls', { name, acl: ['list-accts'] })
    await panel.post('/tokens', { name, scopes: ['read-only'] })
    const { id } = await panel.account(name)
    await panel.post('/resellers', { account_id: id })
  }
  await panel.post('/ips', { address: '192.0.2.11' })
  await panel.post('/nodes/dns-peers', { name: 'ns8', address: ['192.0.2.58'] })
  await panel.post('/bans', { address: '203.0.113.8', for_s: 31_536_000 })
  await panel.patch(`/accounts/${world.alice.id}`, { theme: 'dark' })
  await panel.post(`/accounts/${world.alice.id}/domains`, { name: 'shop.example' })
  await panel.post(`/accounts/${world.alice.id}/backups`, { parts: ['config'] })
  await panel.post('/imports', { path: `${panel.dir}/archives/alice.tar.gz`, as: 'second' })
  await alertOf(panel, world.alice.id)
  await hang(panel, world.alice)
  await panel.settle()
  const read = async (op: Declaration, query: string): Promise<{ ids: string[]; total: number }> => {
    const { status, body } = await panel.get(`${pathIn(world, op)}?${query}`, allowed(world, op))
    expect([op.id, status]).toEqual([op.id, 200])
    return { ids: body.items.map(({ id }: Json) => id), total: body.total }
  }
  return { panel, world, read }
}

/** Another one of what depends on an account. */
async function hang(panel: TestPanel, { id, username, main_domain: domain }: Json): Promise<void> {
  const wordpress = join(panel.dir, 'host/home', username, 'sites', domain, 'public/more/wp-includes')
  mkdirSync(wordpress, { recursive: true })
  writeFileSync(join(wordpress, 'version.php'), "<?php $wp_version = '6.8';")
  const password = 'correct horse battery'
  const bodies: Record<string, object> = {
    'email/accounts': { address: `more@${domain}`, password },
    'email/forwarders': { address: `other@${domain}`, destinations: ['one@ext.example'] },
    'mysql/databases': { name: 'more' },
    'mysql/users': { name: 'more', password },
    'ftp/accounts': { login: `more@${domain}`, password },
    'wordpress/scan': {},
  }
  for (const [path, body] of Object.entries(bodies)) {
    const { status } = await panel.post(`/accounts/${id}/${path}`, body)
    expect([path, status]).toEqual([path, 202])
  }
}

test('every paged list is in order of creation, or reversed, page by page', async () => {
  const { panel, world, read } = await crowded()
  expect(paged.length).toBeGreaterThan(10)
  for (const op of paged) {
    const all = await read(op, 'per_page=500')
    expect([op.id, all.ids.length > 1, all.ids]).toEqual([op.id, true, [...all.ids].sort()])
    expect(all.total).toBe(all.ids.length)
    expect((await read(op, 'per_page=500&order=asc')).ids).toEqual(all.ids)
    const backwards: string[] = []
    for (let page = 1; backwards.length < all.total; page++)
      backwards.push(...(await read(op, `per_page=2&page=${page}&order=desc`)).ids)
    expect([op.id, backwards]).toEqual([op.id, all.ids.toReversed()])
    const odd = await panel.get(`${pathIn(world, op)}?order=newest`, allowed(world, op))
    expect([op.id, odd.code, Object.keys(odd.body.fields)]).toEqual([op.id, 'validation', ['order']])
  }
})

describe('search of accounts', () => {
  const found = async (panel: TestPanel, query: string) => {
    const { items, total } = (await panel.get(`/accounts?${query}`)).body
    expect(items).toHaveLength(total)
    return items.map(({ username }: Json) => username)
  }

  test('lists the exact match first, in either order', async () => {
    const panel = await startPanel()
    for (const name of ['annabel', 'joanna', 'anna', 'hannah']) await panel.account(name)
    expect(await found(panel, 'q=anna')).toEqual(['anna', 'annabel', 'joanna', 'hannah'])
    expect(await found(panel, 'q=anna&order=desc')).toEqual(['anna', 'hannah', 'joanna', 'annabel'])
    expect(await found(panel, 'q=n&order=desc')).toEqual(['hannah', 'anna', 'joanna', 'annabel'])
  })
  test('filters a search by status, alone and with a name, for root and for a reseller', async () => {
    const panel = await startPanel()
    const { id: rita } = await panel.account('rita', { make_reseller: true })
    const ids = new Map<string, string>()
    for (const name of ['annabel', 'joanna', 'anna', 'bob'])
      ids.set(name, (await panel.account(name, { owner_id: name === 'bob' ? undefined : rita })).id)
    for (const name of ['anna', 'joanna', 'bob']) await panel.post(`/accounts/${ids.get(name)}/suspend`, {})
    await panel.settle()
    expect(await found(panel, 'status=suspended')).toEqual(['joanna', 'anna', 'bob'])
    expect(await found(panel, 'status=suspended&order=desc')).toEqual(['bob', 'anna', 'joanna'])
    expect(await found(panel, 'status=active')).toEqual(['rita', 'annabel'])
    expect(await found(panel, 'status=provisioning')).toEqual([])
    expect(await found(panel, 'status=suspended&q=anna')).toEqual(['anna', 'joanna'])
    expect(await found(panel, 'status=active&q=anna&order=desc')).toEqual(['annabel'])
    expect(await found(panel, 'status=suspended&q=o')).toEqual(['joanna', 'bob'])
    const token = await resellerToken(panel, rita, ['list-accts'])
    const own = async (query: string) =>
      (await panel.get(`/accounts?${query}`, { token })).body.items.map(({ username }: Json) => username)
    expect(await own('status=suspended')).toEqual(['joanna', 'anna'])
    expect(await own('status=suspended&q=anna')).toEqual(['anna', 'joanna'])
    expect(await own('order=desc')).toEqual(['anna', 'joanna', 'annabel'])
    expect((await panel.get('/accounts?status=gone')).body.fields).toHaveProperty('status')
  })
})
