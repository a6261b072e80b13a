import { writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Json } from '../harness.ts'
import { domainsIn, exhaust, host, nothing, occurred, problem, withAlice } from './fixtures.ts'

const updated = (...events: string[]) => ({
  events: [...events, 'job.completed'],
  jobs: ['account.update succeeded'],
})
const names = (items: Json[]) => items.map(({ name, kind }) => `${name} ${kind}`)

describe('domains of an account that changes', () => {
  test('a main domain renames its subdomains; their directories stay', async () => {
    const { panel, alice, domain, path } = await withAlice()
    const blog = await domain('blog.alice.example')
    await domain('*.alice.example')
    await domain('shop.example')
    await domain('x.shop.example')
    await panel.patch(`/accounts/${alice.id}`, { domain: 'alice.test' })
    expect(await occurred(panel)).toEqual(updated('account.domain_changed'))
    const { items } = (await panel.get(path)).body
    expect(names(items)).toEqual([
      'alice.test main',
      'blog.alice.test sub',
      '*.alice.test sub',
      'shop.example addon',
      'x.shop.example sub',
    ])
    expect([items[0].document_root, items[1].document_root, items[1].id]).toEqual([
      'sites/alice.test/public',
      'sites/blog.alice.example/public',
      blog.id,
    ])
    const { has, vhost } = host(panel)
    for (const gone of ['alice.example', 'blog.alice.example', '_wildcard.alice.example'])
      expect(has(`etc/panel/nginx/sites/${gone}.conf`)).toBe(false)
    expect(vhost('blog.alice.test')).toContain('root /home/alice/sites/blog.alice.example/public;')
    expect(vhost('alice.test')).toContain('root /home/alice/sites/alice.test/public;')
  })

  test('the default directory of a main domain is renamed with it', async () => {
    const { panel, alice, path } = await withAlice()
    writeFileSync(host(panel).path('home/alice/sites/alice.example/public/mine.html'), 'mine')
    await panel.patch(`/accounts/${alice.id}`, { domain: 'alice.test' })
    await panel.settle()
    expect(host(panel).has('home/alice/sites/alice.test/public/mine.html')).toBe(true)
    expect(host(panel).has('home/alice/sites/alice.example')).toBe(false)
    const { items } = (await panel.get(path)).body
    await panel.patch(`${path}/${items[0].id}`, { document_root: 'sites/own' })
    await panel.settle()
    await panel.patch(`/accounts/${alice.id}`, { domain: 'alicia.test' })
    await panel.settle()
    expect((await panel.get(path)).body.items[0].document_root).toBe('sites/own')
    expect(host(panel).has('home/alice/sites/alice.test/public/mine.html')).toBe(true)
  })

  test('a directory that another domain uses too is not moved', async () => {
    const { panel, alice, domain, path } = await withAlice()
    await domain('shop.example', { document_root: 'sites/alice.example/public/shop' })
    writeFileSync(host(panel).path('home/alice/sites/alice.example/public/shop/mine.html'), 'mine')
    await panel.patch(`/accounts/${alice.id}`, { domain: 'alice.test' })
    await panel.settle()
    expect((await panel.get(path)).body.items[0].document_root).toBe('sites/alice.example/public')
    expect(host(panel).has('home/alice/sites/alice.example/public/shop/mine.html')).toBe(true)
  })

  test('a new main domain may be above or below the old one', async () => {
    const { panel, alice, domain, path } = await withAlice()
    await domain('blog.alice.example')
    for (const [name, sub] of [
      ['blog.alice.example', 'blog.blog.alice.example'],
      ['alice.example', 'blog.alice.example'],
    ]) {
      await panel.patch(`/accounts/${alice.id}`, { domain: name })
      expect(await occurred(panel)).toEqual(updated('account.domain_changed'))
      expect(names((await panel.get(path)).body.items)).toEqual([`${name} main`, `${sub} sub`])
      expect(host(panel).has(`etc/panel/nginx/sites/${sub}.conf`)).toBe(true)
    }
  })

  test("a main domain whose subdomain's new name is taken is refused", async () => {
    const { panel, alice, domain } = await withAlice()
    await domain('blog.alice.example')
    await domain('blog.alice.test')
    await domain(`${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.alice.example`)
    const change = async (name: string) => problem(await panel.patch(`/accounts/${alice.id}`, { domain: name }))
    expect(await change('alice.test')).toEqual([400, 'validation', 'domain'])
    expect(await change('blog.alice.test')).toEqual([400, 'validation', 'domain'])
    expect(await change(`${'d'.repeat(40)}.test`)).toEqual([400, 'validation', 'domain'])
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('moves paths to a new username', async () => {
    const { panel, alice, domain } = await withAlice()
    await domain('shop.example')
    await panel.patch(`/accounts/${alice.id}`, { username: 'alicia' })
    expect(await occurred(panel)).toEqual(updated('account.renamed'))
    expect(host(panel).vhost('shop.example')).toContain('root /home/alicia/sites/shop.example/public;')
    expect(host(panel).has('home/alicia/sites/shop.example/public')).toBe(true)
  })

  test('every site shows the same page while it is suspended', async () => {
    const { panel, alice, domain, path } = await withAlice()
    const { id } = await domain('shop.example')
    await panel.post(`/accounts/${alice.id}/suspend`, {})
    await panel.settle()
    for (const name of ['alice.example', 'shop.example']) {
      expect(host(panel).vhost(name)).toContain('return 503;')
      expect(host(panel).vhost(name)).toContain('acme-challenge')
    }
    const token = await panel.token(['domains:write'], { account: alice.id })
    expect(problem(await panel.patch(`${path}/${id}`, { handler: 'static' }, { token }))).toEqual([
      403,
      'account-suspended',
    ])
    expect((await panel.patch(`${path}/${id}`, { handler: 'static' })).status).toBe(202)
    await panel.post(`/accounts/${alice.id}/unsuspend`)
    await panel.settle()
    expect(host(panel).vhost('shop.example')).not.toContain('return 503;')
    expect(host(panel).vhost('shop.example')).not.toContain('fastcgi_pass')
  })

  test('serves all domains above a smaller limit, and refuses only new ones', async () => {
    const { panel, alice, ask, domain, path } = await withAlice()
    const { id } = await domain('shop.example')
    await panel.patch(`/accounts/${alice.id}`, { max_addon: 0 })
    await panel.settle()
    expect(host(panel).has('etc/panel/nginx/sites/shop.example.conf')).toBe(true)
    expect(problem(await ask('more.example'))).toEqual([409, 'limit-reached', 'max_addon'])
    expect((await panel.delete(`${path}/${id}`)).status).toBe(202)
  })

  test('an account that could not be created leaves no domain behind', async () => {
    const { panel } = await withAlice()
    writeFileSync(host(panel).path('home/bob'), '')
    const made = await panel.post('/accounts', { username: 'bob', domain: 'bob.example' })
    await exhaust(panel)
    expect((await panel.get(`/jobs/${made.body.job_id}`)).body.job.status).toBe('failed')
    const free = (await panel.get('/accounts-check?domain=bob.example')).body
    expect(free.domain).toEqual({ available: true })
  })

  test('refuses a new domain while the account is terminating', async () => {
    const { panel, alice, ask } = await withAlice()
    await panel.delete(`/accounts/${alice.id}?confirm=alice`)
    expect(problem(await ask('shop.example'))).toEqual([409, 'busy'])
    await panel.settle()
    const bob = await panel.account('bob', { domain: 'alice.example' })
    expect(names((await panel.get(domainsIn(panel, bob.id).path)).body.items)).toEqual(['alice.example main'])
  })
})
