import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { type Json, type Reply, startPanel, type TestPanel } from '../harness.ts'
import { linkIn, mailOf, tokenIn } from '../outgoing-mail.ts'
import { Browser } from './browser.ts'

const password = 'correct horse battery'
const fresh = 'staple battery horse'
const minute = 60_000

const request = (panel: TestPanel, username: string, from = '198.51.100.7'): Promise<Reply> =>
  panel.post('/auth/password-reset', { username }, { from })
const complete = (panel: TestPanel, token: string, new_password = fresh): Promise<Reply> =>
  panel.post('/auth/password-reset/complete', { token, new_password }, { from: '198.51.100.7' })

async function withAlice(fields: Json = {}): Promise<{ panel: TestPanel; alice: Json }> {
  const panel = await startPanel()
  return { panel, alice: await panel.account('alice', { password, contact_email: 'alice@mail.example', ...fields }) }
}

async function signedIn(panel: TestPanel): Promise<Browser> {
  const browser = new Browser(panel)
  expect((await browser.signIn('alice', password)).status).toBe(200)
  return browser
}

test('mails a link that sets a new password, once, and ends every session', async () => {
  const { panel, alice } = await withAlice()
  const browser = await signedIn(panel)
  expect((await request(panel, 'ALICE ')).status).toBe(204)
  const [mail] = await mailOf(panel, 1)
  expect(mail!.headers).toMatchObject({
    from: '"host.example" <panel@host.example>',
    to: 'alice@mail.example',
    subject: 'Set a new password for alice',
    'auto-submitted': 'auto-generated',
    'message-id': expect.stringMatching(/^<[0-9A-Z]{26}@host\.example>$/),
  })
  expect(linkIn(mail!)).toMatch(/^https:\/\/host\.example:7711\/reset-password\?token=[\w-]{43}$/)
  expect(mail!.html).toContain(`<a href="${linkIn(mail!)}">`)
  expect(mail!.text).toContain('until 2026-01-15 13:00 UTC')
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
  expect((await complete(panel, tokenIn(mail!))).status).toBe(204)
  expect([panel.events(), panel.jobs()]).toEqual([['account.password_changed'], []])
  expect((await browser.get(`/accounts/${alice.id}`)).code).toBe('unauthenticated')
  expect((await new Browser(panel).signIn('alice', fresh)).status).toBe(200)
  expect((await new Browser(panel).signIn('alice', password)).code).toBe('unauthenticated')
  expect((await complete(panel, tokenIn(mail!), `${fresh} again`)).body).toMatchObject({
    detail: 'The link has been used, has expired or does not exist. Request a new one.',
  })
  const { items } = (await panel.get(`/accounts/${alice.id}/audit`)).body
  expect(items.map(({ operation, actor }: Json) => [operation, actor.name])).toContainEqual([
    'completePasswordReset',
    'alice',
  ])
})

test('answers alike for every name, and mails only to who exists, may sign in and has an address', async () => {
  const { panel } = await withAlice()
  await panel.account('bob', { password })
  const carol = await panel.account('carol', { password, contact_email: 'carol@mail.example' })
  await panel.post(`/accounts/${carol.id}/suspend`)
  await panel.settle()
  const names = ['nobody', 'bob', 'carol', 'carol@mail.example', 'unknown.example', 'x@y.example', 'root', 'alice']
  const answers = []
  for (const name of names) answers.push(await request(panel, name))
  expect(new Set(answers.map(({ status, body }) => `${status} ${body}`))).toEqual(new Set(['204 ']))
  expect((await mailOf(panel, 1)).map(({ headers }) => headers['to'])).toEqual(['alice@mail.example'])
})

test('takes a domain and the contact address, and mails each account that has the address', async () => {
  const { panel } = await withAlice()
  await panel.account('bob', { password, contact_email: 'Alice@mail.example' })
  await request(panel, 'alice.example')
  expect((await mailOf(panel, 1)).map(({ headers }) => headers['subject'])).toEqual(['Set a new password for alice'])
  await request(panel, 'alice@MAIL.example')
  expect((await mailOf(panel, 3)).slice(1).map(({ headers }) => headers['subject'])).toEqual([
    'Set a new password for alice',
    'Set a new password for bob',
  ])
})

test('works for root with a contact address', async () => {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  await panel.patch('/settings', { contact_email: 'ops@host.example', mail_from: 'noreply@host.example' })
  panel.forget()
  await request(panel, 'root')
  const [mail] = await mailOf(panel, 1)
  expect([mail!.headers['to'], mail!.headers['from']]).toEqual([
    'ops@host.example',
    '"host.example" <noreply@host.example>',
  ])
  expect((await complete(panel, tokenIn(mail!))).status).toBe(204)
  expect(panel.events()).toEqual([])
  expect((await new Browser(panel).signIn('root', fresh, 'admin')).status).toBe(200)
})

test('works for a reseller, whose customers get mail in its name', async () => {
  const panel = await startPanel()
  const { id } = await panel.account('rita', { password, contact_email: 'rita@mail.example' })
  await panel.post('/resellers', { account_id: id })
  await panel.patch(`/resellers/${id}`, { brand: { name: 'Ritas Höhle' } })
  await panel.account('carl', { password, contact_email: 'carl@mail.example', owner_id: id })
  await request(panel, 'rita')
  const [own] = await mailOf(panel, 1)
  expect((await complete(panel, tokenIn(own!))).status).toBe(204)
  expect((await new Browser(panel).signIn('rita', fresh, 'admin')).status).toBe(200)
  await request(panel, 'carl')
  const [, mail] = await mailOf(panel, 2)
  expect(mail!.headers).toMatchObject({
    from: 'Ritas Höhle <panel@host.example>',
    to: 'carl@mail.example',
    'reply-to': 'rita@mail.example',
  })
})

test('writes in the language of the account', async () => {
  const { panel } = await withAlice({ locale: 'de' })
  await request(panel, 'alice')
  const [mail] = await mailOf(panel, 1)
  expect(mail!.headers['subject']).toBe('Neues Passwort für alice festlegen')
  expect(mail!.text).toContain('Mit dem neuen Passwort enden alle Sitzungen von alice.')
})

test('ends links after an hour, and when the address or the password changes', async () => {
  const { panel, alice } = await withAlice()
  await request(panel, 'alice')
  const [late] = await mailOf(panel, 1)
  await panel.clock.advance(60 * minute)
  expect((await complete(panel, tokenIn(late!))).code).toBe('unauthenticated')
  await request(panel, 'alice')
  const [, moved] = await mailOf(panel, 2)
  await panel.patch(`/accounts/${alice.id}`, { contact_email: 'new@mail.example' })
  expect((await complete(panel, tokenIn(moved!))).code).toBe('unauthenticated')
  await request(panel, 'alice')
  const [, , changed] = await mailOf(panel, 3)
  expect((await panel.post(`/accounts/${alice.id}/password`, { new_password: `${password} 2` })).status).toBe(204)
  expect((await complete(panel, tokenIn(changed!))).code).toBe('unauthenticated')
})

test('refuses the current password and short ones, and keeps the link', async () => {
  const { panel } = await withAlice()
  await request(panel, 'alice')
  const token = tokenIn((await mailOf(panel, 1))[0]!)
  expect((await complete(panel, token, password)).body.fields).toEqual({
    new_password: 'must differ from the current one',
  })
  expect((await complete(panel, token, 'short')).code).toBe('validation')
  expect((await complete(panel, 'x'.repeat(43))).code).toBe('unauthenticated')
  expect((await complete(panel, token)).status).toBe(204)
})

test('limits links of an account and requests of an address', async () => {
  const { panel } = await withAlice()
  for (let n = 1; n <= 5; n++) expect((await request(panel, 'alice', `203.0.113.${n}`)).status).toBe(204)
  expect(await mailOf(panel, 3)).toHaveLength(3)
  await panel.clock.advance(61 * minute)
  for (let n = 0; n < 10; n++) expect((await request(panel, 'nobody')).status).toBe(204)
  const refused = await request(panel, 'nobody')
  expect([refused.status, refused.body.detail]).toEqual([429, 'Too many requests; try again later.'])
  expect(refused.headers.get('retry-after')).toBe('900')
  expect((await request(panel, 'alice')).status).toBe(204)
})

test('refuses pages of other sites', async () => {
  const { panel } = await withAlice()
  const headers = { Origin: 'https://evil.example', Host: 'host.example:7711' }
  const foreign = { from: '198.51.100.7', headers }
  expect((await panel.post('/auth/password-reset', { username: 'alice' }, foreign)).code).toBe('csrf')
  const body = { token: 'x', new_password: fresh }
  expect((await panel.post('/auth/password-reset/complete', body, foreign)).code).toBe('csrf')
})

test('is off where the host has no mail server', async () => {
  const driver = (root: string) =>
    Object.assign(createDirectoryDriver({ root }), { canSendMail: async () => ({ ready: false }) })
  const panel = await startPanel({
    debian: true,
    driver: (root) => Object.assign(driver(root), { kind: 'debian' as const }),
  })
  await panel.clock.advance(minute)
  expect((await panel.get('/auth/password-reset')).body).toEqual({ available: false })
  expect((await request(panel, 'root')).code).toBe('not-configured')
})

test('is on where the host has one', async () => {
  const driver = (root: string) => Object.assign(createDirectoryDriver({ root }), { kind: 'debian' as const })
  const panel = await startPanel({ debian: true, driver })
  await panel.clock.advance(1000)
  await expect.poll(async () => (await panel.get('/auth/password-reset')).body).toEqual({ available: true })
})

test('leaves no token in the store or the log', async () => {
  const { panel } = await withAlice()
  await request(panel, 'alice')
  const token = tokenIn((await mailOf(panel, 1))[0]!)
  await complete(panel, token)
  const store = ['panel.db', 'panel.db-wal'].map((name) => readFileSync(join(panel.dir, name), 'latin1')).join()
  expect([store.includes(token), panel.logged.join().includes(token)]).toEqual([false, false])
})

test('goes to the former address while the new one was set by who may not set the password', async () => {
  const { panel, alice } = await withAlice()
  const path = `/accounts/${alice.id}`
  const body = { name: 't', scopes: ['full-access'] }
  const token = (await panel.post(`${path}/tokens`, body)).body.secret
  const sentTo = async (name: string, total: number) => {
    await request(panel, name)
    return (await mailOf(panel, total)).at(-1)!.headers['to']
  }
  expect((await panel.patch(path, { contact_email: 'evil@other.example' }, { token })).status).toBe(202)
  expect((await panel.get(path)).body.contact_email).toBe('evil@other.example')
  await request(panel, 'evil@other.example')
  expect(await sentTo('alice', 1)).toBe('alice@mail.example')
  expect(await sentTo('alice@mail.example', 2)).toBe('alice@mail.example')

  // Neither a second change nor a backup of the first one makes it the address for links.
  await panel.patch(path, { contact_email: 'evil@third.example' }, { token })
  const backup = (await panel.post(`${path}/backups`, {}, { token })).body
  await panel.settle()
  const browser = await signedIn(panel)
  expect((await browser.patch(path, { contact_email: 'new@mail.example' })).status).toBe(202)
  const restored = await panel.post(`${path}/backups/${backup.backup.id}/restore`, { parts: ['config'] }, { token })
  expect(restored.status).toBe(202)
  await panel.settle()
  expect((await panel.get(path)).body.contact_email).toBe('evil@third.example')
  await panel.clock.advance(61 * minute)
  expect(await sentTo('alice', 3)).toBe('new@mail.example')

  await panel.patch(path, { contact_email: 'root@mail.example' })
  expect(await sentTo('alice', 4)).toBe('root@mail.example')
})

test('a backup that is restored as a new account does not make its contact address the one for links', async () => {
  const { panel, alice } = await withAlice()
  const path = `/accounts/${alice.id}`
  const token = (await panel.post(`${path}/tokens`, { name: 't', scopes: ['full-access'] })).body.secret
  const made = async () => {
    const { body } = await panel.post(`${path}/backups`, {}, { token })
    await panel.settle()
    return body.backup.id as string
  }
  const restored = async (backup: string, username: string): Promise<Json> => {
    const reply = await panel.post(`/backups/${backup}/restore`, { username, domain: `${username}.example` })
    expect(reply.status, JSON.stringify(reply.body)).toBe(202)
    await panel.settle()
    return (await panel.get(`/accounts/${reply.body.account.id}`)).body
  }
  const own = await made()
  expect((await panel.patch(path, { contact_email: 'evil@other.example' }, { token })).status).toBe(202)
  const evil = await made()
  await panel.delete(`${path}?confirm=alice`)
  await panel.settle()
  expect((await restored(own, 'anna')).contact_email).toBe('alice@mail.example')
  await request(panel, 'anna')
  expect((await mailOf(panel, 1))[0]!.headers['to']).toBe('alice@mail.example')
  expect((await restored(evil, 'berta')).contact_email).toBe('evil@other.example')
  await request(panel, 'berta')
  expect((await mailOf(panel, 2))[1]!.headers).toMatchObject({
    to: 'alice@mail.example',
    subject: 'Set a new password for berta',
  })
})

test('goes to a new address that was set in a session only with the password', async () => {
  const { panel, alice } = await withAlice()
  const browser = await signedIn(panel)
  await panel.clock.advance(20 * minute)
  await browser.patch(`/accounts/${alice.id}`, { contact_email: 'evil@other.example' })
  await request(panel, 'alice')
  expect((await mailOf(panel, 1))[0]!.headers['to']).toBe('alice@mail.example')
  await browser.post('/user/auth/confirm', { password })
  await browser.patch(`/accounts/${alice.id}`, { contact_email: 'new@mail.example' })
  await request(panel, 'alice')
  expect((await mailOf(panel, 2))[1]!.headers['to']).toBe('new@mail.example')
})

test('a token that changes settings does not get links for the password of root', async () => {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  await panel.patch('/settings', { contact_email: 'ops@host.example' })
  const token = (await panel.post('/tokens', { name: 't', scopes: ['server:write'] })).body.secret
  expect((await panel.patch('/settings', { contact_email: 'evil@other.example' }, { token })).status).toBe(200)
  await request(panel, 'root')
  expect((await mailOf(panel, 1))[0]!.headers['to']).toBe('ops@host.example')
  expect(await panel.patch('/settings', { contact_email: 'new@host.example' })).toMatchObject({ status: 200 })
  await request(panel, 'root')
  expect((await mailOf(panel, 2)).map(({ headers }) => headers['to'])).toEqual(['ops@host.example', 'new@host.example'])
})

test('a reseller that may change addresses and not passwords gets no links for its customers', async () => {
  const panel = await startPanel()
  const { id } = await panel.account('rita', { password, contact_email: 'rita@mail.example' })
  await panel.post('/resellers', { account_id: id, acl: ['list-accts', 'edit-account'] })
  const carl = await panel.account('carl', { password, contact_email: 'carl@mail.example', owner_id: id })
  const browser = new Browser(panel)
  await browser.signIn('rita', password, 'admin')
  const change = (contact_email: string) => browser.patch(`/accounts/${carl.id}`, { contact_email })
  expect((await change('evil@other.example')).status).toBe(202)
  await request(panel, 'carl')
  expect((await mailOf(panel, 1))[0]!.headers['to']).toBe('carl@mail.example')
  await panel.put(`/resellers/${id}/acl`, { acl: ['list-accts', 'edit-account', 'passwd'] })
  expect((await change('new@mail.example')).status).toBe(202)
  await request(panel, 'carl')
  expect((await mailOf(panel, 2))[1]!.headers['to']).toBe('new@mail.example')
})
