import { expect, test } from 'vitest'
import { startPanel } from '../harness.ts'
import { password, textOf, Visitor } from './visitor.ts'

async function withRoot() {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  return { panel, root: await new Visitor(panel).signIn('root', 'admin') }
}

const token = (body: string): string => /name="csrf_token" value="([^"]+)"/.exec(body)![1]!

test('administrators choose theme, language and the form of commands, only for their browser', async () => {
  const { panel, root } = await withRoot()
  const { body } = await root.get('/admin/display')
  for (const text of ['Theme', 'Language', 'Deutsch', 'Commands at the foot of pages']) expect(body).toContain(text)
  const choice = { theme: 'dark', locale: 'de', say: 'curl' }
  const saved = await root.post('/admin/display', { csrf_token: token(body), ...choice })
  expect(saved.headers.get('set-cookie')).toMatch(
    /^panel_view=theme\.dark~locale\.de~say\.curl; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=\d+$/,
  )
  expect(textOf((await root.follow(saved)).body)).toContain('Gespeichert.')
  const page = await root.get('/admin/accounts', { 'Accept-Language': 'en' })
  for (const text of ['<html lang="de" dir="ltr" data-theme="dark"', 'curl -H']) expect(page.body).toContain(text)
  const other = await new Visitor(panel).signIn('root', 'admin')
  expect((await other.get('/admin/accounts')).body).toContain('<html lang="en" dir="ltr">')
})

test('commands can be hidden, and shown again', async () => {
  const panel = await startPanel()
  const { id } = await panel.account('alice', { password })
  await panel.patch(`/accounts/${id}`, { theme: 'light' })
  const alice = await new Visitor(panel).signIn('alice')
  const { body } = await alice.get('/user/display')
  expect(body).not.toContain('name="theme"')
  await alice.post('/user/display', { csrf_token: token(body), say: 'none', theme: 'dark' })
  const hidden = await alice.get('/user/cron')
  expect(hidden.body).not.toContain('id="say"')
  expect(hidden.body).toContain('data-theme="light"')
  expect((await alice.get('/user/cron?say=panel')).body).toContain('panel cron list')
  await alice.post('/user/display', { csrf_token: token(body), say: 'panel' })
  expect((await alice.get('/user/cron')).body).toContain('panel cron list')
})

test('an invalid choice is not saved, and a form of another session is refused', async () => {
  const { root } = await withRoot()
  const { body } = await root.get('/admin/display')
  const odd = await root.post('/admin/display', { csrf_token: token(body), theme: 'a;b', locale: 'xx', else: 'x' })
  expect(odd.headers.get('set-cookie')).toMatch(/^panel_view=locale\.xx; /)
  expect((await root.get('/admin/', { 'Accept-Language': 'en' })).body).toContain('<html lang="en" dir="ltr">')
  expect((await root.post('/admin/display', { csrf_token: 'x.x', theme: 'dark' })).status).toBe(403)
})
