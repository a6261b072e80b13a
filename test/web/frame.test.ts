import { describe, expect, test } from 'vitest'
import { unmaskToken } from '../../src/web/http/csrf.ts'
import { startPanel } from '../harness.ts'
import { origin, password, textOf, Visitor } from './visitor.ts'

const titleOf = (body: string): string => /<title>([^<]*)/.exec(body)![1]!

async function withRoot() {
  const panel = await startPanel()
  const { id } = await panel.account('alice', { password })
  await panel.put('/root/password', { new_password: password })
  const alice = await new Visitor(panel).signIn('alice')
  const root = await new Visitor(panel).signIn('root', 'admin')
  return { panel, id: id as string, alice, root }
}

describe('frame around a page', () => {
  test('a lapsed license is a bar on every page of the admin panel, with a way to renew it for root', async () => {
    const { panel, root, alice } = await withRoot()
    await panel.account('rita', { make_reseller: true, password })
    const rita = await new Visitor(panel).signIn('rita', 'admin')
    const bar = 'The license has expired: nothing can be changed until it is valid again.'
    expect(textOf((await root.get('/admin/')).body)).not.toContain(bar)
    await panel.put('/license', { valid_until: panel.clock.now() })
    const pages = ['/admin/', '/admin/accounts', '/admin/accounts/alice/email', '/admin/display', '/admin/accounts/bob']
    for (const path of pages) expect(textOf((await root.get(path)).body)).toContain(`${bar} License`)
    const hers = (await rita.get('/admin/')).body
    expect([textOf(hers).includes(bar), hers.includes('/admin/license')]).toEqual([true, false])
    expect(textOf((await alice.get('/user/')).body)).not.toContain(bar)
    await panel.put('/license', { valid_until: null })
    expect(textOf((await root.get('/admin/')).body)).not.toContain(bar)
  })

  test('two identical sessions differ only in the token of their forms, which is new on each page', async () => {
    const { panel, root } = await withRoot()
    const again = await new Visitor(panel).signIn('root', 'admin')
    const pages = await Promise.all([root, root, again].map((visitor) => visitor.get('/admin/accounts')))
    const field = /(?<=name="csrf_token" value=")[^"]*/g
    const tokens = pages.map(({ body }) => [...new Set<string>(body.match(field) ?? [])])
    expect(tokens.map(({ length }) => length)).toEqual([1, 1, 1])
    expect(new Set(tokens.flat()).size).toBe(3)
    const [own, same, other] = tokens.map(([token]) => unmaskToken(token!))
    expect([own === same, own === other]).toEqual([true, false])
    expect(new Set(pages.map(({ body }) => body.replaceAll(field, ''))).size).toBe(1)
    expect((await root.post('/admin/logout', { csrf_token: tokens[0]![0]! })).status).toBe(303)
    expect([(await root.get('/admin/accounts')).status, (await again.get('/admin/accounts')).status]).toEqual([
      303, 200,
    ])
  })

  test('titles name the object, its page, and the account', async () => {
    const { root, alice } = await withRoot()
    for (const [path, title] of [
      ['/user/domains/alice.example', 'alice.example · Domains · host.example'],
      ['/user/domains/alice.example/redirects', 'alice.example · Redirects · host.example'],
      ['/user/dns/alice.example/text', 'alice.example · Zone as text · host.example'],
      ['/user/ssl/alice.example', 'alice.example · Certificate · host.example'],
      ['/user/visitors/alice.example', 'alice.example · Visitors · host.example'],
      ['/user/logs/alice.example', 'alice.example · Log · host.example'],
      ['/user/email', 'Mailboxes · host.example'],
    ] as const)
      expect(titleOf((await alice.get(path)).body)).toBe(title)
    expect(titleOf((await root.get('/admin/accounts/alice/email')).body)).toBe('Mailboxes · alice · host.example')
  })

  test("a browser's theme applies before the sign-in, and on pages that do not exist", async () => {
    const { panel } = await withRoot()
    const visitor = new Visitor(panel)
    for (const path of ['/admin/login', '/admin/nowhere'])
      expect((await visitor.get(path, { Cookie: 'panel_view=theme.dark' })).body).toContain('data-theme="dark"')
  })

  test("a reseller's brand is on the error pages at its host name", async () => {
    const { panel } = await withRoot()
    const { id } = await panel.account('rita', { make_reseller: true })
    await panel.patch(`/resellers/${id}`, { brand: { name: 'Rita', hostname: 'panel.rita.example' } })
    const at = async (path: string) => {
      const options = { from: '192.0.2.1', headers: { Accept: 'text/html', Host: 'panel.rita.example' } }
      const { status, body } = await panel.get(`${origin}${path}`, options)
      return [status, titleOf(body).split(' · ').at(-1)]
    }
    expect(await at('/user/nowhere')).toEqual([404, 'Rita'])
    expect(await at(`/api/v1/user/auth/sso?token=${'x'.repeat(43)}`)).toEqual([401, 'Rita'])
  })

  test('signing out is a page with a button, and links to the sign-in for visitors', async () => {
    const { panel, alice } = await withRoot()
    const page = await alice.get('/user/logout')
    const [, token] = /action="\/user\/logout"[\s\S]*?value="([^"]+)"/.exec(page.body)!
    expect([page.status, (await alice.get('/user/email')).status]).toEqual([200, 200])
    const left = await alice.post('/user/logout', { csrf_token: token! })
    expect(left.headers.get('location')).toBe('/user/login')
    expect((await new Visitor(panel).get('/user/logout')).headers.get('location')).toBe('/user/login')
  })
})

describe('content of a page', () => {
  test('a reached limit is named like its field', async () => {
    const { panel, id, alice } = await withRoot()
    await panel.patch(`/accounts/${id}`, { max_email: 0 })
    await panel.settle()
    const form = await alice.get('/user/email/new')
    const refused = await alice.submit(form, 'createMailbox', { address: 'one@alice.example', password })
    expect(refused.status).toBe(409)
    expect(textOf(refused.body)).toContain('Limit reached Mailboxes : 0 of 0 email accounts are in use')
  })

  test('a list says that nothing matches if only its earlier pages have rows', async () => {
    const { root } = await withRoot()
    const text = textOf((await root.get('/admin/accounts?page=2')).body)
    expect(text).toContain('Nothing matches. Show all')
  })

  test('a confirmation names its object, and counts what is deleted with it', async () => {
    const { panel, id, alice } = await withRoot()
    const [domain] = (await panel.get(`/accounts/${id}/domains`)).body.items
    const redirect = { path: '/old', target: 'https://other.example/' }
    await panel.post(`/accounts/${id}/domains/${domain.id}/redirects`, redirect)
    await panel.post(`/accounts/${id}/email/accounts`, { address: 'one@alice.example', password })
    await panel.settle()
    const requests = async (path: string) => textOf((await alice.get(path)).body)
    expect(await requests('/user/domains/alice.example?do=deleteDomain')).toContain(
      'Delete the domain alice.example This cannot be undone. Its DNS zone or records and its certificate go with it. Redirects that go with it: 1. Its files stay.',
    )
    expect(await requests('/user/email/one@alice.example?do=deleteMailbox')).toMatch(
      /Delete the mailbox one@alice\.example This cannot be undone\. (\d+ k?B of mail )?Its mail goes/,
    )
  })

  test('a certificate is reached by its domain', async () => {
    const { alice } = await withRoot()
    const page = await alice.get('/user/ssl/alice.example')
    expect([page.status, textOf(page.body)]).toEqual([200, expect.stringContaining('Domain alice.example')])
    expect((await alice.get('/user/ssl/other.example')).status).toBe(404)
  })

  test('the display settings return with their form if another has signed in since', async () => {
    const { alice, root } = await withRoot()
    const { body } = await root.get('/admin/display')
    const [, theirs] = /name="csrf_token" value="([^"]+)"/.exec((await alice.get('/user/display')).body)!
    const refused = await root.post('/admin/display', { csrf_token: theirs!, theme: 'dark', say: 'curl' })
    expect([refused.status, refused.headers.get('set-cookie')]).toEqual([403, null])
    expect(textOf(refused.body)).toContain('now as root. Check it and save.')
    for (const value of ['dark', 'curl']) expect(refused.body).toMatch(new RegExp(`value="${value}"[^>]*checked`))
    expect(body).not.toMatch(/value="dark"[^>]*checked/)
  })
})
