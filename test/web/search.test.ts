import { expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { password, textOf, Visitor } from './visitor.ts'

async function withAlice() {
  const panel = await startPanel()
  const alice = await panel.account('alice', { password })
  const visitor = await new Visitor(panel).signIn('alice')
  const find = async (q: string, who = visitor, at = '/user') =>
    textOf((await who.get(`${at}/search?q=${encodeURIComponent(q)}`, { 'X-Part': 'hits' })).body)
  const root = async () => {
    await panel.put('/root/password', { new_password: password })
    return new Visitor(panel).signIn('root', 'admin')
  }
  return { panel, alice, visitor, find, root }
}

test('a customer finds its own objects by prefix, and pages by words', async () => {
  const { panel, alice, visitor, find } = await withAlice()
  await panel.account('bob', { domain: 'alicia.example' })
  await panel.post(`/accounts/${alice.id}/email/accounts`, { address: 'info@alice.example', password })
  await panel.settle()
  const page = await visitor.get('/user/search?q=info%40')
  expect(page.body).toContain('href="/user/email/info%40alice.example"')
  expect(textOf(page.body)).toContain('1 found')
  expect(await find('alice.')).toBe('2 found alice.example domain alice.example zone')
  expect(await find('email create')).toContain('Add a mailbox page')
  expect(await find('vacation')).toBe('1 found Mailboxes page')
  expect(await find('cron')).toContain('Cron jobs page')
  expect(await find('')).toMatch(/^Type the beginning of a name\. info@alice\.example mailbox .*Add a database page/)
  expect(await find('nothing at all')).toBe('No results.')
})

test('an administrator finds accounts and their objects, and goes to their pages', async () => {
  const { panel, alice, root } = await withAlice()
  const visitor = await root()
  const { body } = await visitor.get('/admin/search?q=alice')
  expect(body).toContain('href="/admin/accounts/alice"')
  expect(body).toContain('href="/admin/accounts/alice/domains/alice.example"')
  expect(textOf(body)).toMatch(/alice account .*alice\.example domain alice/)
  const byId = await visitor.get(`/admin/search?q=${alice.id.toLowerCase()}`)
  expect(byId.body).toContain(`href="/admin/accounts/${alice.id}"`)
  const [job] = (await panel.get('/jobs')).body.items
  expect((await visitor.get(`/admin/search?q=${job.id}`)).body).toContain(`href="/admin/jobs/${job.id}"`)
})

test('within an account its own pages and objects come first', async () => {
  const { panel, alice, find, root } = await withAlice()
  await panel.account('mailer')
  await panel.post(`/accounts/${alice.id}/email/accounts`, { address: 'mail@alice.example', password })
  await panel.settle()
  const visitor = await root()
  const home = (await visitor.get('/admin/accounts/alice')).body
  expect(home).toContain('href="/admin/search?within=alice"')
  expect((await visitor.get('/admin/accounts')).body).toContain('href="/admin/search"')
  const found = async (within: string) => {
    const at = `/admin/search?${new URLSearchParams({ within, q: 'mail' })}`
    return textOf((await visitor.get(at, { 'X-Part': 'hits' })).body)
  }
  const own = await found('alice')
  expect(own).toMatch(/^\d+ found .*Mailboxes page alice/)
  expect(own.indexOf('Mailboxes page alice')).toBeLessThan(own.indexOf('SMTP relays page'))
  expect(own.indexOf('mail@alice.example')).toBeLessThan(own.indexOf('mailer account'))
  const { body } = await visitor.get('/admin/search?within=alice&q=mailboxes')
  expect(body).toContain('href="/admin/accounts/alice/email"')
  expect(body).toContain('<input type="hidden" name="within" value="alice"/>')
  const all = await find('mail', visitor, '/admin')
  for (const hostile of ['nobody', '../..', '<b>', 'a'.repeat(400), '%2e%2e', 'alice/settings'])
    expect(await found(hostile), hostile).toBe(all)
  const bob = await panel.account('bob', { password, make_reseller: true })
  await panel.put(`/resellers/${bob.id}/acl`, { acl: ['list-accts'] })
  const reseller = await new Visitor(panel).signIn('bob', 'admin')
  expect((await reseller.get('/admin/search?within=alice&q=mail')).body).not.toContain('/accounts/alice')
})

test('where no name begins with a text, accounts are found by any part of their names', async () => {
  const { panel, find, root } = await withAlice()
  await panel.account('dora', { domain: 'dorasworld.example' })
  const visitor = await root()
  expect(await find('sworld', visitor, '/admin')).toBe('1 found dora account dorasworld.example')
  expect(await find('ice.ex', visitor, '/admin')).toBe('1 found alice account alice.example')
  for (const q of ['"><img src=x onerror=alert(1)>', '%', 'a\0b', '\u202e', 'x'.repeat(300)])
    expect(await find(q, visitor, '/admin'), q).toBe('No results.')
})

test('a reseller and a customer find nothing of others, by name or by id', async () => {
  const { panel, alice, find } = await withAlice()
  const rita = await panel.account('rita', { password, make_reseller: true })
  await panel.put(`/resellers/${rita.id}/acl`, { acl: ['all'] })
  const reseller = await new Visitor(panel).signIn('rita', 'admin')
  for (const q of ['alice', 'lic', 'alice.example', alice.id])
    expect(await find(q, reseller, '/admin')).toBe('No results.')
  const [job] = (await panel.get(`/accounts/${rita.id}/jobs`)).body.items
  expect(await find(job.id)).toBe('No results.')
  expect(await find(rita.id)).toBe('No results.')
})

test('hostile text is text, and searches are limited to ten per second', async () => {
  const { panel, visitor, find } = await withAlice()
  for (const q of ['"><img src=x onerror=alert(1)>', '%', "' OR 1=1 --", '\u202e', 'a\0b', 'x'.repeat(400)]) {
    const { status, body } = await visitor.get(`/user/search?q=${encodeURIComponent(q)}`)
    expect([status, body.includes('<img')], q).toEqual([200, false])
  }
  await panel.clock.advance(1000)
  const answers = await Promise.all(Array.from({ length: 12 }, () => visitor.get('/user/search?q=al')))
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(2)
  await panel.clock.advance(1000)
  expect(await find('alice.ex')).toContain('alice.example')
})

test('a visitor who is not signed in is redirected to the sign-in', async () => {
  const { panel } = await withAlice()
  const { status, headers } = await new Visitor(panel).get('/user/search?q=alice')
  expect([status, headers.get('location')]).toEqual([303, expect.stringMatching(/^\/user\/(login|\?)/)])
})
