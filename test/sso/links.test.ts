import { describe, expect, test } from 'vitest'
import { PausedDriver } from '../drivers.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { Browser } from '../sessions/browser.ts'

const open = (panel: TestPanel, url: string, headers: Record<string, string> = {}) =>
  panel.get(url.replace('https://host.example:7711', ''), { from: '198.51.100.9', headers })

describe('sign-in link', () => {
  test('works once, for sixty seconds, as the account itself', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const token = await panel.token(['accounts:write'])
    const made = await panel.post(`/accounts/${alice.id}/sso`, undefined, { token })
    expect(made.status).toBe(200)
    expect(made.body).toEqual({
      url: expect.stringMatching(/^https:\/\/host\.example:7711\/api\/v1\/user\/auth\/sso\?token=[\w-]{43}$/),
      expires_in: 60,
    })
    const opened = await open(panel, made.body.url)
    expect([opened.status, opened.headers.get('location')]).toEqual([302, '/user/'])
    const browser = new Browser(panel)
    browser.cookies.set('panel_user', /panel_user=([^;]+)/.exec(opened.headers.get('set-cookie') ?? '')![1]!)
    expect((await browser.get('/user/auth/session')).body).toMatchObject({
      authenticated: true,
      acting_as: false,
      username: 'alice',
    })
    expect((await open(panel, made.body.url)).code).toBe('unauthenticated')
    const late = await panel.post(`/accounts/${alice.id}/sso`, {})
    panel.clock.jump(60_000)
    expect((await open(panel, late.body.url)).status).toBe(401)
    expect(panel.events()).toEqual([])
    expect(panel.jobs()).toEqual([])
  })

  test('signs root in once, for a caller on the local socket', async () => {
    const panel = await startPanel()
    const made = await panel.post('/root/sso', { goto: '/admin/accounts' })
    expect([made.status, made.body.expires_in]).toEqual([200, 900])
    panel.clock.jump(899_000)
    const opened = await open(panel, made.body.url)
    expect([opened.status, opened.headers.get('location')]).toEqual([302, '/admin/accounts'])
    const browser = new Browser(panel)
    browser.cookies.set('panel_admin', /panel_admin=([^;]+)/.exec(opened.headers.get('set-cookie') ?? '')![1]!)
    const session = (await browser.get('/auth/session')).body
    expect(session).toMatchObject({ authenticated: true, is_root: true, username: 'root' })
    expect((await open(panel, made.body.url)).status).toBe(401)
    const headers = { Cookie: `panel_admin=${browser.cookies.get('panel_admin')}`, 'X-CSRF-Token': session.csrf_token }
    const again = await panel.post('/root/sso', {}, { from: '198.51.100.9', headers })
    expect([again.status, again.code]).toEqual([403, 'forbidden'])
    for (const goto of ['/user/', 'https://evil.example/', '//evil.example'])
      expect((await panel.post('/root/sso', { goto })).body.fields).toEqual({ goto: expect.any(String) })
    expect(panel.events()).toEqual([])
    expect(panel.jobs()).toEqual([])
  })

  test('lets in one of a hundred requests for a link at once', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const { url } = (await panel.post(`/accounts/${alice.id}/sso`, {})).body
    const all = await Promise.all(Array.from({ length: 100 }, () => open(panel, url)))
    expect(all.filter(({ status }) => status === 302)).toHaveLength(1)
    expect(all.filter(({ status }) => status === 401)).toHaveLength(99)
  })

  test('does not use up a link by HEAD', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const { url } = (await panel.post(`/accounts/${alice.id}/sso`, {})).body
    expect(
      (await panel.send('HEAD', url.replace('https://host.example:7711', ''), { from: '198.51.100.9' })).status,
    ).toBe(405)
    expect((await open(panel, url)).status).toBe(302)
  })

  test.each([{ 'Sec-Purpose': 'prefetch;prerender' }, { Purpose: 'prefetch' }])(
    'does not use up a link by prefetching: %o',
    async (headers) => {
      const panel = await startPanel()
      const alice = await panel.account('alice')
      const { url } = (await panel.post(`/accounts/${alice.id}/sso`, {})).body
      const ahead = await open(panel, url, headers as Record<string, string>)
      expect([ahead.status, ahead.headers.get('cache-control')]).toEqual([503, 'no-store'])
      expect((await open(panel, url)).status).toBe(302)
    },
  )

  test('opens a page of the chosen panel and nothing else', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const ask = (goto: string, chosen?: string) =>
      panel.post(`/accounts/${alice.id}/sso`, { goto, ...(chosen ? { panel: chosen } : {}) })
    const fine = await ask('/user/domains/add?name=x%20y#top')
    expect((await open(panel, fine.body.url)).headers.get('location')).toBe('/user/domains/add?name=x%20y#top')
    const hostile = [
      '//evil.example',
      'https://evil.example',
      '/user',
      '/admin/',
      '/other/',
      'user/',
      '/user/../admin/',
      '/user/./../admin',
      '/user//evil.example',
      '/user/\\evil',
      '/user/%2e%2e/admin',
      '/user/%252e%252e/admin',
      '/user/..%2fadmin',
      '/user/%5cevil',
      '/user/a%00b',
      '/user/a\nb',
      '/user/a\tb',
      '/user/ä',
      '/user/%',
      '/user/%zz',
      '/user/a b',
      '/\\evil.example',
      '/user/%2f%2fevil',
      '\t/user/',
      '/USER/',
      '/user/;/../../x',
      '/user/%0d%0aLocation:x',
    ]
    for (const goto of hostile) {
      const refused = await ask(goto)
      expect([goto, refused.status, Object.keys(refused.body.fields ?? {})]).toEqual([goto, 400, ['goto']])
    }
    expect((await ask('/admin/', 'admin')).body.fields).toHaveProperty('panel')
  })

  test('refuses a link for a suspended account, and invalidates it with a suspension', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const { url } = (await panel.post(`/accounts/${alice.id}/sso`, {})).body
    await panel.post(`/accounts/${alice.id}/suspend`, {})
    expect((await panel.post(`/accounts/${alice.id}/sso`, {})).code).toBe('suspended')
    expect((await open(panel, url)).status).toBe(401)
  })

  test('becomes invalid with the token that created it', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const token = await panel.token(['accounts:write'])
    const { url } = (await panel.post(`/accounts/${alice.id}/sso`, {}, { token })).body
    const [{ id }] = (await panel.get('/tokens')).body.items
    expect((await panel.delete(`/tokens/${id}`)).status).toBe(204)
    expect((await open(panel, url)).status).toBe(401)
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })

  test('cannot be created by account tokens, nor with a read-only token', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    for (const token of [
      await panel.token(['full-access'], { account: alice.id }),
      await panel.token(['read-only']),
      await panel.token(['packages:write']),
    ]) {
      expect((await panel.post(`/accounts/${alice.id}/sso`, {}, { token })).code).toBe('token-scope')
    }
  })

  test('shows a page to a browser for an expired link', async () => {
    const panel = await startPanel()
    const page = await open(panel, '/api/v1/user/auth/sso?token=unknown', { Accept: 'text/html' })
    expect([page.status, page.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8'])
    expect(page.headers.get('www-authenticate')).toBe('Bearer')
    expect(page.body).toContain('This link no longer works')
  })
})

describe('log in as', () => {
  test('marks the session, names who is behind it, and cannot change the password', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice', { password: 'correct horse battery' })
    const made = await panel.post(`/accounts/${alice.id}/login-as`)
    const opened = await open(panel, made.body.url)
    const browser = new Browser(panel)
    browser.cookies.set('panel_user', /panel_user=([^;]+)/.exec(opened.headers.get('set-cookie') ?? '')![1]!)
    expect((await browser.get('/user/auth/session')).body).toMatchObject({ authenticated: true, acting_as: true })
    expect((await browser.post(`/accounts/${alice.id}/password`, { new_password: 'another password' })).code).toBe(
      'forbidden',
    )
    expect((await browser.post('/user/auth/totp/setup')).code).toBe('forbidden')
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
    expect((await browser.patch(`/accounts/${alice.id}`, { theme: 'dark' })).status).toBe(202)
    await panel.settle()
    expect([panel.events(), panel.jobs()]).toEqual([['job.completed'], ['account.update succeeded']])
    const { items } = (await panel.get(`/accounts/${alice.id}/audit`)).body
    expect(items.at(-1)).toMatchObject({
      operation: 'updateAccount',
      actor: { name: 'alice' },
      acting_as: { name: 'root' },
      via: 'sso',
    })
    const token = await panel.token(['full-access'])
    expect((await panel.post(`/accounts/${alice.id}/login-as`, undefined, { token })).code).toBe('token-scope')
  })
})

/** A mailbox of an account's own. */
async function mailboxOf(panel: TestPanel, id: string, domain: string): Promise<string> {
  const body = { address: `info@${domain}`, password: 'correct horse' }
  const reply = await panel.post(`/accounts/${id}/email/accounts`, body)
  expect(reply.status, JSON.stringify(reply.body)).toBe(202)
  return reply.body.mailbox.id
}

test('links into tools missing on the host are refused, and otherwise name a mailbox of the account', async () => {
  const panel = await startPanel()
  const alice = await panel.account('alice')
  const bob = await panel.account('bob')
  const [own, other] = [
    await mailboxOf(panel, alice.id, 'alice.example'),
    await mailboxOf(panel, bob.id, 'bob.example'),
  ]
  const webmail = async (id: string) => (await panel.post(`/accounts/${alice.id}/email/accounts/${id}/webmail`)).code
  expect(await Promise.all([own, other, alice.id].map(webmail))).toEqual(['not-configured', 'not-found', 'not-found'])
  expect((await panel.post(`/accounts/${alice.id}/phpmyadmin`)).code).toBe('not-configured')
  const token = await panel.token(['full-access'])
  expect((await panel.post(`/accounts/${alice.id}/phpmyadmin`, undefined, { token })).code).toBe('token-scope')
})

describe('links of every kind', () => {
  const kinds = async (panel: TestPanel, id: string) => {
    const mailbox = await mailboxOf(panel, id, 'alice.example')
    return ['sso', 'login-as', 'phpmyadmin', `email/accounts/${mailbox}/webmail`]
  }

  test('opens no account that is suspended', async () => {
    const panel = await startPanel()
    const alice = await panel.account('alice')
    const all = await kinds(panel, alice.id)
    await panel.post(`/accounts/${alice.id}/suspend`, {})
    await panel.settle()
    panel.forget()
    for (const kind of all) expect((await panel.post(`/accounts/${alice.id}/${kind}`)).code, kind).toBe('suspended')
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })

  test('opens no account that is terminating', async () => {
    const panel = await startPanel({ driver: (root) => new PausedDriver(root) })
    const { id } = (await panel.post('/accounts', { username: 'alice', domain: 'alice.example' })).body.account
    const all = await kinds(panel, id)
    await panel.delete(`/accounts/${id}?confirm=alice`)
    panel.forget()
    for (const kind of all) expect((await panel.post(`/accounts/${id}/${kind}`)).code, kind).toBe('busy')
    expect([panel.events(), panel.jobs()]).toEqual([[], []])
  })
})

test('a session signed in as a customer cannot create links into that or another account', async () => {
  const panel = await startPanel()
  const alice = await panel.account('alice')
  const bob = await panel.account('bob')
  const browser = new Browser(panel)
  await browser.get((await panel.post(`/accounts/${alice.id}/login-as`)).body.url)
  await browser.get('/user/auth/session')
  for (const { id } of [alice, bob]) {
    expect((await browser.post(`/accounts/${id}/login-as`)).code).toBe('forbidden')
    expect((await browser.post(`/accounts/${id}/sso`)).code).toBe('forbidden')
  }
  expect((await browser.delete('/user/auth/sessions')).code).toBe('forbidden')
  expect((await browser.get(`/accounts/${bob.id}`)).code).toBe('not-found')
  const [own] = (await browser.get('/user/auth/sessions')).body.items
  expect(own.current).toBe(true)
  expect((await browser.post('/user/auth/logout')).status).toBe(204)
  expect((await browser.get(`/accounts/${alice.id}`)).status).toBe(401)
})
