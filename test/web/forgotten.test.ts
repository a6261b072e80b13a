import { expect, test } from 'vitest'
import { createDirectoryDriver } from '../../src/host/driver/file-driver.ts'
import { startPanel } from '../harness.ts'
import { linkIn, mailOf } from '../outgoing-mail.ts'
import { origin, password, policy, textOf, Visitor } from './visitor.ts'

const fresh = 'staple battery horse'

test('replaces a forgotten password without a script, by the link in a mail', async () => {
  const panel = await startPanel()
  await panel.account('alice', { password, contact_email: 'alice@mail.example' })
  const visitor = new Visitor(panel)
  const start = await visitor.get('/')
  expect(start.body).toContain('<a href="/forgot-password">Forgot your password?</a>')
  const form = await visitor.get('/forgot-password')
  expect([form.status, form.headers.get('content-security-policy')]).toEqual([200, policy])
  const sent = await visitor.post('/forgot-password', { username: 'alice' })
  expect([sent.status, textOf(sent.body)]).toEqual([200, expect.stringContaining('Check your mail')])
  const unknown = await visitor.post('/forgot-password', { username: 'nobody' })
  expect(unknown.body).toBe(sent.body)
  const link = linkIn((await mailOf(panel, 1))[0]!).slice(origin.length)
  const page = await visitor.get(link)
  expect([page.headers.get('cache-control'), page.headers.get('referrer-policy')]).toEqual(['no-store', 'same-origin'])
  const token = new URL(link, origin).searchParams.get('token')!
  expect(page.body).toContain(`<input type="hidden" name="token" value="${token}"/>`)
  const short = await visitor.post('/reset-password', { token, new_password: 'short' })
  expect([short.status, textOf(short.body)]).toEqual([
    400,
    expect.stringContaining('The new password must be at least 8'),
  ])
  const done = await visitor.post('/reset-password', { token, new_password: fresh })
  expect([done.status, textOf(done.body)]).toEqual([200, expect.stringContaining('Sign in with the new password.')])
  const again = await visitor.post('/reset-password', { token, new_password: `${fresh} 2` })
  expect([again.status, textOf(again.body)]).toEqual([401, expect.stringContaining('Request another link')])
  expect((await visitor.post('/', { username: 'alice', password: fresh })).headers.get('location')).toBe('/user/')
})

test('opening the link changes nothing, as programs that scan mail do', async () => {
  const panel = await startPanel()
  await panel.account('alice', { password, contact_email: 'alice@mail.example' })
  const visitor = new Visitor(panel)
  await visitor.post('/forgot-password', { username: 'alice' })
  const link = new URL(linkIn((await mailOf(panel, 1))[0]!))
  for (let n = 0; n < 3; n++) expect((await visitor.get(link.pathname + link.search)).status).toBe(200)
  expect((await visitor.post('/', { username: 'alice', password })).headers.get('location')).toBe('/user/')
})

test('refuses the forms of other sites', async () => {
  const panel = await startPanel()
  for (const path of ['/forgot-password', '/reset-password']) {
    const sent = await new Visitor(panel).post(path, { username: 'alice' }, { Origin: 'https://evil.example' })
    expect(sent.status).toBe(403)
  }
})

test('speaks German', async () => {
  const panel = await startPanel()
  const visitor = new Visitor(panel)
  const page = await visitor.get('/forgot-password', { 'Accept-Language': 'de' })
  expect(textOf(page.body)).toContain('Ein Link zum Festlegen eines neuen Passworts geht an Ihre Kontaktadresse.')
})

test('offers nothing where the host has no mail server', async () => {
  const driver = (root: string) =>
    Object.assign(createDirectoryDriver({ root }), {
      kind: 'debian' as const,
      canSendMail: async () => ({ ready: false }),
    })
  const panel = await startPanel({ debian: true, driver })
  await panel.clock.advance(1000)
  const visitor = new Visitor(panel)
  expect((await visitor.get('/')).body).not.toContain('forgot')
  expect((await visitor.get('/forgot-password')).headers.get('location')).toBe('/')
})
