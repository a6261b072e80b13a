import { expect, test } from 'vitest'
import { startPanel, type TestPanel } from '../harness.ts'

const password = 'correct horse battery'
const from = '198.51.100.7'
const origin = 'https://host.example:7711'

const visit = (panel: TestPanel, path: string, cookie = '') =>
  panel.get(`${origin}${path}`, { from, headers: { Accept: 'text/html', ...(cookie ? { Cookie: cookie } : {}) } })

const submit = (panel: TestPanel, path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
  panel.post(`${origin}${path}`, new URLSearchParams(form).toString(), {
    from,
    headers: { Accept: 'text/html', 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
  })

const cookieOf = (headers: Headers): string =>
  headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')

test('a customer signs in by form, sees account and usage, and signs out', async () => {
  const panel = await startPanel()
  await panel.account('alice', { password })
  expect((await visit(panel, '/user/')).headers.get('location')).toBe('/user/login')
  const form = await visit(panel, '/user/login')
  expect(form.headers.get('content-security-policy')).toBe(
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  )
  expect(form.body).not.toMatch(/<script|style=/)
  const wrong = await submit(panel, '/user/login', { username: 'alice', password: 'not the password' })
  expect([wrong.status, wrong.body.includes('The username or the password is wrong.')]).toEqual([401, true])
  const right = await submit(panel, '/user/login', { username: 'alice', password })
  expect([right.status, right.headers.get('location')]).toEqual([303, '/user/'])
  const cookie = cookieOf(right.headers)
  const home = await visit(panel, '/user/', cookie)
  expect(home.status).toBe(200)
  expect(home.body).toContain('alice.example')
  expect(home.body).toContain('Disk, in MB')
  const csrf = /name="csrf_token" value="([^"]+)"/.exec(home.body)![1]!
  expect((await submit(panel, '/user/logout', { csrf_token: 'wrong' }, { Cookie: cookie })).status).toBe(403)
  expect((await submit(panel, '/user/logout', { csrf_token: csrf }, { Cookie: cookie })).headers.get('location')).toBe(
    '/user/login',
  )
  expect((await visit(panel, '/user/', cookie)).headers.get('location')).toBe('/user/login')
})

test('a suspended customer sees why nothing works', async () => {
  const panel = await startPanel()
  const alice = await panel.account('alice', { password })
  const cookie = cookieOf((await submit(panel, '/user/login', { username: 'alice', password })).headers)
  await panel.post(`/accounts/${alice.id}/suspend`, {})
  const home = await visit(panel, '/user/', cookie)
  expect([home.status, home.body.includes('This account is suspended')]).toEqual([403, true])
})

test('names are shown as text, whatever they hold', async () => {
  const panel = await startPanel()
  const page = await submit(panel, '/user/login', { username: '<script>alert(1)</script>', password: 'x' })
  expect(page.body).not.toContain('<script>')
})

test('root lands in the admin panel', async () => {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  const cookie = cookieOf((await submit(panel, '/admin/login', { username: 'root', password })).headers)
  const home = await visit(panel, '/admin/', cookie)
  expect(home.body).toContain('root (root)')
})

test('a form of another site signs nobody in', async () => {
  const panel = await startPanel()
  await panel.account('alice', { password })
  const refused = await submit(
    panel,
    '/user/login',
    { username: 'alice', password },
    { Origin: 'https://evil.example', Host: 'host.example:7711' },
  )
  expect(refused.status).toBe(403)
  expect(refused.headers.getSetCookie()).toEqual([])
})
