import { expect, test } from 'vitest'
import { startPanel, type TestPanel } from '../harness.ts'
import { Browser } from './browser.ts'

const password = 'correct horse battery'

const signIn = (browser: Browser, username: string, typed = password, panel?: 'admin' | 'user') =>
  browser.post('/auth/sign-in', { username, password: typed, ...(panel && { panel }) })

async function withReseller(panel: TestPanel): Promise<string> {
  const { id } = await panel.account('rita', { password })
  expect((await panel.post('/resellers', { account_id: id })).status).toBe(201)
  panel.events()
  return id
}

test('finds out who signs in: root, a reseller, a customer', async () => {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  await panel.account('alice', { password })
  await withReseller(panel)
  for (const [name, role, at] of [
    ['root', 'root', 'admin'],
    ['Rita', 'reseller', 'admin'],
    ['alice', 'customer', 'user'],
  ] as const) {
    const browser = new Browser(panel)
    const { status, body } = await signIn(browser, name)
    expect([status, body.panel, body.session.role]).toEqual([200, at, role])
    expect([...browser.cookies.keys()].filter((one) => !one.startsWith('__Host-'))).toEqual([`panel_${at}`])
  }
  const rita = new Browser(panel)
  expect((await signIn(rita, 'rita', password, 'user')).body.panel).toBe('user')
})

test('takes a domain of the account, or its contact address unless two accounts have it', async () => {
  const panel = await startPanel()
  const alice = await panel.account('alice', { password, contact_email: 'Alice@mail.example' })
  await panel.account('bob', { password, contact_email: 'both@mail.example' })
  await panel.account('carol', { password, contact_email: 'both@mail.example' })
  expect((await panel.post(`/accounts/${alice.id}/domains`, { name: 'addon.example', kind: 'addon' })).status).toBe(202)
  for (const name of ['alice.example', 'ADDON.example', 'alice@MAIL.example', ' alice '])
    expect([name, (await signIn(new Browser(panel), name)).body.session?.username]).toEqual([name, 'alice'])
  expect((await signIn(new Browser(panel), 'both@mail.example')).code).toBe('unauthenticated')
})

test('answers alike for an unknown name and a wrong password, and counts all names of an account together', async () => {
  const panel = await startPanel()
  await panel.account('alice', { password })
  const browser = new Browser(panel)
  const answers = [
    await signIn(browser, 'alice.example', 'wrong'),
    await signIn(new Browser(panel, '203.0.113.9'), 'nobody.example', 'wrong'),
  ]
  for (const { status, body } of answers)
    expect([status, body.detail]).toEqual([401, 'The username or the password is wrong.'])
  for (let tries = 0; tries < 9; tries++) await signIn(browser, 'alice', 'wrong')
  for (const name of ['alice', 'alice.example']) expect((await signIn(browser, name)).code).toBe('rate-limited')
  expect((await browser.signIn('alice', password)).code).toBe('rate-limited')
})

test('a reseller switches between its panels without signing in again', async () => {
  const panel = await startPanel()
  const id = await withReseller(panel)
  const browser = new Browser(panel)
  const { session } = (await signIn(browser, 'rita')).body
  expect(session.may_switch).toBe(true)
  browser.csrf = session.csrf_token
  const own = await browser.post('/auth/switch')
  expect([own.status, own.body.role, own.body.may_switch, own.body.account_id]).toEqual([200, 'customer', true, id])
  const back = await browser.post('/user/auth/switch')
  expect([back.status, back.body.role]).toEqual([200, 'reseller'])
  expect((await browser.get('/user/auth/session')).body.authenticated).toBe(true)
  expect([panel.events(), panel.jobs()]).toEqual([[], []])
})

test('customers, root, and sessions of links cannot switch', async () => {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  await panel.account('alice', { password })
  const id = await withReseller(panel)
  for (const [name, path] of [
    ['alice', '/user/auth/switch'],
    ['root', '/auth/switch'],
  ] as const) {
    const browser = new Browser(panel)
    const { session } = (await signIn(browser, name)).body
    browser.csrf = session.csrf_token
    expect([session.may_switch, (await browser.post(path)).code]).toEqual([undefined, 'forbidden'])
  }
  const { url } = (await panel.post(`/accounts/${id}/sso`, { panel: 'user' })).body
  const linked = new Browser(panel)
  await linked.get(url)
  const { body } = await linked.get('/user/auth/session')
  expect([body.authenticated, body.may_switch]).toEqual([true, undefined])
  expect((await linked.post('/user/auth/switch')).code).toBe('forbidden')
})
