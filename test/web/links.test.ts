import { expect, test } from 'vitest'
import { type Json, startPanel } from '../harness.ts'
import { origin, password, textOf, Visitor } from './visitor.ts'

async function withLink(goto: string) {
  const panel = await startPanel()
  const alice = await panel.account('alice')
  const made: Json = (await panel.post(`/accounts/${alice.id}/sso`, { goto })).body
  return { panel, alice, visitor: new Visitor(panel), link: made.url.slice(origin.length) as string }
}

test('a one-time link opens the requested page, where a mailbox is created, and then expires', async () => {
  const { panel, visitor, link } = await withLink('/user/email/new')
  const landed = await visitor.get(link)
  expect([landed.status, landed.headers.get('location')]).toEqual([302, '/user/email/new'])
  const form = await visitor.get('/user/email/new')
  const made = await visitor.submit(form, 'createMailbox', { address: 'info@alice.example', password, quota_mb: '50' })
  expect(made.status, textOf(made.body)).toBe(303)
  await panel.settle()
  expect(textOf((await visitor.get('/user/email')).body)).toContain('info@alice.example')
  const again = await new Visitor(panel).get(link)
  expect([again.status, again.headers.get('content-type')]).toEqual([401, expect.stringMatching(/^text\/html/)])
})

test('a link is not used up by prefetching', async () => {
  const { visitor, panel, link } = await withLink('/user/domains')
  for (const headers of [
    { 'Sec-Purpose': 'prefetch' },
    { 'Sec-Purpose': 'prefetch;prerender' },
    { Purpose: 'prefetch' },
  ])
    expect((await visitor.get(link, headers)).status).toBe(503)
  const head = await panel.send('HEAD', `${origin}${link}`, { from: '198.51.100.7' })
  expect(head.status).toBe(405)
  expect((await visitor.get(link)).headers.get('location')).toBe('/user/domains')
})

test('a link opened while another is signed in says on each page who is acting now', async () => {
  const { panel, alice, visitor, link } = await withLink('/user/domains')
  await panel.account('bob', { password })
  await visitor.signIn('bob')
  const bar = 'You act as alice now.'
  expect(textOf((await visitor.get('/user/')).body)).not.toContain('You act as')
  const landed = await visitor.get(link)
  expect(landed.headers.get('clear-site-data')).toBe('"cache", "storage"')
  for (const path of ['/user/', '/user/domains', '/user/email/new'])
    expect([path, textOf((await visitor.get(path)).body).includes(bar)]).toEqual([path, true])
  const again: Json = (await panel.post(`/accounts/${alice.id}/sso`, {})).body
  const own = await visitor.get(again.url.slice(origin.length))
  expect(own.headers.get('clear-site-data')).toBeNull()
  expect(textOf((await visitor.get('/user/')).body)).not.toContain(bar)
})

test('root that came by a link and has no password sets its first one on the server, and goes on', async () => {
  const panel = await startPanel()
  const root = new Visitor(panel)
  const { url } = (await panel.post('/root/sso', { goto: '/admin/tokens/new' })).body
  await root.get(url.slice(origin.length))
  const typed = { name: 'billing', scopes: 'read-only' }
  const confirmation = await root.submit(await root.get('/admin/tokens/new'), 'createToken', typed)
  expect([confirmation.status, textOf(confirmation.body).includes('your provider')]).toEqual([403, false])
  expect(textOf(confirmation.body)).toContain(
    'If root has no password yet, set one on the server: panel root set-password',
  )
  expect((await panel.put('/root/password', { new_password: password })).status).toBe(204)
  const made = await root.submit(confirmation, 'createToken', { ...typed, _password: password })
  expect([made.status, textOf(made.body)]).toEqual([200, expect.stringMatching(/pnl_\w{40}/)])
  await panel.put('/root/password', { new_password: `another ${password}` })
  expect((await root.get('/admin/tokens')).status).not.toBe(200)
})
