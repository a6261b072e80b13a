import { describe, expect, test } from 'vitest'
import { startPanel, type TestPanel } from '../harness.ts'
import { policy, Visitor } from './visitor.ts'

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
  expect(form.headers.get('content-security-policy')).toBe(policy)
  expect(form.body).not.toMatch(/<script(?! type="module" src=)|style=/)
  const wrong = await submit(panel, '/user/login', { username: 'alice', password: 'not the password' })
  expect([wrong.status, wrong.body.includes('The username or the password is wrong.')]).toEqual([401, true])
  const right = await submit(panel, '/user/login', { username: 'alice', password })
  expect([right.status, right.headers.get('location')]).toEqual([303, '/user/'])
  const cookie = cookieOf(right.headers)
  const home = await visit(panel, '/user/', cookie)
  expect(home.status).toBe(200)
  expect(home.body).toContain('alice.example')
  expect(home.body).toContain('Disk space, in MB')
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

test('names are shown as text, whatever they contain', async () => {
  const panel = await startPanel()
  const page = await submit(panel, '/user/login', { username: '<script>alert(1)</script>', password: 'x' })
  expect(page.body).not.toContain('<script>')
})

test('root lands in the admin panel', async () => {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  const cookie = cookieOf((await submit(panel, '/admin/login', { username: 'root', password })).headers)
  const home = await visit(panel, '/admin/', cookie)
  expect(home.body).toContain('0 accounts')
})

test('a form of another site cannot sign in', async () => {
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

test('a name stays after a wrong password, and errors are shown in words', async () => {
  const panel = await startPanel()
  const wrong = await submit(panel, '/user/login', { username: 'alice', password: 'not the password' })
  expect(wrong.body).toContain('value="alice"')
  expect(wrong.body).not.toContain('not the password')
  const none = await submit(panel, '/user/login', { username: '', password: 'x' })
  expect([none.status, /role="alert">\s*The username /.test(none.body)]).toEqual([400, true])
})

test('a browser must say which page a form comes from if it says anything; programs need not', async () => {
  const panel = await startPanel()
  await panel.account('alice', { password })
  for (const path of ['/user/login', '/admin/login'])
    expect((await visit(panel, path)).headers.get('referrer-policy')).toBe('same-origin')
  const send = (Origin: string) =>
    submit(panel, '/user/login', { username: 'alice', password }, { Origin, Host: 'host.example:7711' })
  expect((await send('null')).status).toBe(403)
  expect((await send(origin)).status).toBe(303)
  const own = { username: 'alice', password }
  expect((await submit(panel, '/user/login', own, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(403)
  expect((await submit(panel, '/user/login', own)).status).toBe(303)
})

describe('form on a screen', () => {
  test('accepts a small form only', async () => {
    const panel = await startPanel()
    const large = await submit(panel, '/user/login', { username: 'alice', password: 'x'.repeat(20_000) })
    expect([large.status, large.headers.get('content-type')]).toEqual([413, 'text/html; charset=utf-8'])
    for (const type of ['multipart/form-data; boundary=x', 'text/plain', 'application/json'])
      expect((await submit(panel, '/user/login', { username: 'alice' }, { 'Content-Type': type })).status).toBe(415)
  })

  test('accepts a larger form while its session lasts, and for a day after', async () => {
    const panel = await startPanel()
    await panel.account('alice', { password })
    const signIn = async () => {
      const cookie = cookieOf((await submit(panel, '/user/login', { username: 'alice', password })).headers)
      return {
        cookie,
        csrf: /name="csrf_token" value="([^"]+)"/.exec((await visit(panel, '/user/', cookie)).body)![1]!,
      }
    }
    const send = async (cookie: string, KiB: number) =>
      (await submit(panel, '/user/password', { text: 'x'.repeat(KiB * 1024 - 5) }, { Cookie: cookie })).status
    const { cookie, csrf } = await signIn()
    expect([await send(cookie, 1024), await send(cookie, 1025)]).toEqual([403, 413])
    expect([await send('', 16), await send('', 17), await send(cookie.replace('user', 'admin'), 17)]).toEqual([
      303, 413, 413,
    ])
    await submit(panel, '/user/logout', { csrf_token: csrf }, { Cookie: cookie })
    const idle = (await signIn()).cookie
    panel.clock.jump(3_600_000)
    for (const ended of [cookie, idle]) expect([await send(ended, 64), await send(ended, 65)]).toEqual([303, 413])
    panel.clock.jump(23 * 3_600_000)
    expect([await send(cookie, 17), await send(idle, 17)]).toEqual([413, 303])
    panel.clock.jump(3_600_000)
    expect(await send(idle, 17)).toBe(413)
    expect((await visit(panel, '/user/', idle)).headers.get('location')).toBe('/user/login')
  })

  test('limits the number of fields of a form', async () => {
    const panel = await startPanel()
    const form = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, place) => [`f${place}`, '1']))
    expect((await submit(panel, '/user/login', form(201))).status).toBe(400)
    expect((await submit(panel, '/user/login', { ...form(198), username: 'alice', password })).status).toBe(401)
  })

  test('leads to the sign-in from a form of a visitor who is no longer signed in', async () => {
    const panel = await startPanel()
    for (const name of ['logout', 'password', 'two-factor'])
      for (const where of ['user', 'admin']) {
        const reply = await submit(panel, `/${where}/${name}`, { csrf_token: 'old', code: '123456' })
        expect([name, reply.status, reply.headers.get('location')]).toEqual([name, 303, `/${where}/login`])
      }
  })

  test('changes nothing by a form without the token of its session', async () => {
    const panel = await startPanel()
    await panel.account('alice', { password })
    const cookie = cookieOf((await submit(panel, '/user/login', { username: 'alice', password })).headers)
    for (const name of ['logout', 'password', 'two-factor']) {
      const fields = { code: '123456', current_password: password, new_password: 'a new password' }
      expect(
        (await submit(panel, `/user/${name}`, { ...fields, csrf_token: 'wrong' }, { Cookie: cookie })).status,
      ).toBe(403)
      expect((await submit(panel, `/user/${name}`, fields, { Cookie: cookie })).status).toBe(403)
    }
    expect((await visit(panel, '/user/', cookie)).status).toBe(200)
  })
})

test('a suspended customer can sign out', async () => {
  const panel = await startPanel()
  const alice = await panel.account('alice', { password })
  const cookie = cookieOf((await submit(panel, '/user/login', { username: 'alice', password })).headers)
  await panel.post(`/accounts/${alice.id}/suspend`, {})
  const home = await visit(panel, '/user/', cookie)
  const csrf = /name="csrf_token" value="([^"]+)"/.exec(home.body)![1]!
  const left = await submit(panel, '/user/logout', { csrf_token: csrf }, { Cookie: cookie })
  expect([left.status, left.headers.get('location')]).toEqual([303, '/user/login'])
})

test('what is not found is a page for a browser and a problem for others', async () => {
  const panel = await startPanel()
  for (const [path, home] of [
    ['/user/nowhere', '/user/'],
    ['/admin/nowhere', '/admin/'],
  ] as const) {
    const page = await visit(panel, path)
    expect([page.status, page.body.includes('Not found'), page.body.includes(`href="${home}"`)]).toEqual([
      404,
      true,
      true,
    ])
    expect((await panel.get(`${origin}${path}`, { from })).code).toBe('not-found')
  }
  expect((await visit(panel, '/api/v1/nowhere')).code).toBe('not-found')
  expect((await visit(panel, '/problems/token-scope')).body).toContain('This token cannot do this')
  expect((await visit(panel, '/problems/constructor')).status).toBe(404)
})

test('no proxy reaches the screens over the local socket, where everyone is root', async () => {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  const fields = { current_password: password, new_password: 'of the proxy' }
  for (const name of ['X-Forwarded-For', 'X-Forwarded-Proto', 'Forwarded', 'Via']) {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', [name]: '203.0.113.9' }
    const reply = await panel.post(`${origin}/admin/password`, new URLSearchParams(fields).toString(), { headers })
    expect([name, reply.status]).toEqual([name, 400])
  }
  const cookie = cookieOf((await submit(panel, '/admin/login', { username: 'root', password })).headers)
  expect(cookie).toContain('panel_admin=')
})

test('every path to a panel has the security headers', async () => {
  const panel = await startPanel()
  const expected = (await panel.get(`${origin}/user/login`, { from })).headers
  for (const [path, to] of [
    ['/user', '/user/'],
    ['/admin', '/admin/'],
    ['/user/', '/user/login'],
  ]) {
    const { status, headers } = await visit(panel, path!)
    expect([path, [302, 303].includes(status), headers.get('location')]).toEqual([path, true, to])
    for (const name of ['strict-transport-security', 'x-content-type-options', 'x-frame-options', 'cache-control'])
      expect([path, name, headers.get(name)]).toEqual([path, name, expected.get(name)])
    expect(headers.get('x-request-id')).toMatch(/^[0-9A-Z]{26}$/)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  }
})

test('one form at the start page signs everyone in, and sends signed-in visitors home', async () => {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  await panel.account('alice', { password })
  await panel.account('rita', { password, make_reseller: true })
  const form = await visit(panel, '/')
  expect([form.status, form.headers.get('content-security-policy')]).toEqual([200, policy])
  expect(form.body).toContain('<form class="fields" method="post" action="/"')
  for (const [username, home] of [
    ['root', '/admin/'],
    ['rita', '/admin/'],
    ['alice.example', '/user/'],
  ] as const) {
    const { status, headers } = await submit(panel, '/', { username, password })
    expect([username, status, headers.get('location')]).toEqual([username, 303, home])
    expect((await visit(panel, '/', cookieOf(headers))).headers.get('location')).toBe(home)
  }
  const wrong = await submit(panel, '/', { username: 'root', password: 'not the password' })
  expect([wrong.status, wrong.body.includes('value="root"')]).toEqual([401, true])
  expect((await submit(panel, '/', { username: 'root', password }, { 'Sec-Fetch-Site': 'cross-site' })).status).toBe(
    403,
  )
})

test("the forms of both panels lead to the user's own, and a reseller switches in its menu", async () => {
  const panel = await startPanel()
  await panel.put('/root/password', { new_password: password })
  await panel.account('rita', { password, make_reseller: true })
  expect((await submit(panel, '/user/login', { username: 'root', password })).headers.get('location')).toBe('/admin/')
  const visitor = await new Visitor(panel).signIn('rita', 'admin')
  const home = await visitor.get('/admin/')
  const csrf_token = /action="\/admin\/switch".*?name="csrf_token" value="([^"]+)"/s.exec(home.body)![1]!
  const own = await visitor.follow(await visitor.post('/admin/switch', { csrf_token }))
  expect([own.status, own.body.includes('rita.example')]).toEqual([200, true])
  expect(own.body).toContain('action="/user/switch"')
  expect((await visitor.get('/admin/')).status).toBe(200)
  const token = /action="\/user\/logout".*?name="csrf_token" value="([^"]+)"/s.exec(own.body)![1]!
  await visitor.post('/user/logout', { csrf_token: token })
  for (const path of ['/user/', '/admin/'])
    expect((await visitor.get(path)).headers.get('location')).toBe(`${path}login`)
})

test('a visitor who followed a link confirms the password before setting up the second factor', async () => {
  const panel = await startPanel()
  const { id } = await panel.account('alice', { password })
  await panel.patch('/settings', { two_factor_required: 'everyone' })
  const { url } = (await panel.post(`/accounts/${id}/sso`)).body
  const cookie = cookieOf((await panel.get(url, { from })).headers)
  const begin = async () => {
    const [, csrf_token = ''] = /name="csrf_token" value="([^"]+)"/.exec((await visit(panel, '/user/', cookie)).body)!
    return submit(panel, '/user/two-factor/key', { csrf_token }, { Cookie: cookie })
  }
  const requests = await begin()
  expect(requests.body).toContain('Confirm your password')
  const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(requests.body)![1]!
  const confirm = (secret: string) =>
    submit(panel, '/user/confirm', { csrf_token, password: secret }, { Cookie: cookie })
  const wrong = await confirm('a guess')
  expect([wrong.status, wrong.body.includes('The password is wrong.')]).toEqual([400, true])
  expect((await confirm(password)).headers.get('location')).toBe('/user/')
  expect((await begin()).body).toContain('otpauth:')
})

test('GET, HEAD and cross-site POST create no pending second factor, and a second tab keeps the first', async () => {
  const panel = await startPanel()
  await panel.account('alice', { password })
  await panel.patch('/settings', { two_factor_required: 'everyone' })
  const Cookie = cookieOf((await submit(panel, '/user/login', { username: 'alice', password })).headers)
  const keys = (): unknown[] => panel.store.sqlite.prepare('SELECT secret FROM two_factor').pluck().all()
  const page = await visit(panel, '/user/', Cookie)
  expect(page.body).toContain('Show the key')
  await panel.send('HEAD', `${origin}/user/`, { from, headers: { Accept: 'text/html', Cookie } })
  const foreign = { Cookie, Origin: 'https://evil.example', Host: 'host.example:7711' }
  for (const path of ['/user/', '/user/cron/new', '/user/two-factor/key'])
    expect((await submit(panel, path, { do: 'createCronJob' }, foreign)).status).toBe(403)
  expect((await visit(panel, '/user/two-factor/key', Cookie)).status).toBe(405)
  expect(keys()).toEqual([])
  const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(page.body)![1]!
  const visible = await submit(panel, '/user/two-factor/key', { csrf_token }, { Cookie })
  expect([visible.status, visible.headers.get('cache-control')]).toEqual([200, 'no-store'])
  const [made] = keys()
  await visit(panel, '/user/', Cookie)
  await visit(panel, '/user/email', Cookie)
  expect(keys()).toEqual([made])
})

test('a known page answers 405 with Allow to any other method, an unknown one 404', async () => {
  const panel = await startPanel()
  await panel.account('alice', { password })
  const send = async (method: string, path: string) => {
    const { status, headers } = await panel.send(method, `${origin}${path}`, { from, headers: { Accept: 'text/html' } })
    return [status, headers.get('allow')]
  }
  for (const method of ['PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
    expect(await send(method, '/user/email')).toEqual([405, 'GET, HEAD, POST'])
    expect(await send(method, '/admin/accounts/alice/dns')).toEqual([405, 'GET, HEAD, POST'])
    expect(await send(method, '/user/login')).toEqual([405, 'GET, HEAD, POST'])
    expect(await send(method, '/user/search')).toEqual([405, 'GET, HEAD'])
    expect(await send(method, '/user/nowhere')).toEqual([404, null])
  }
  expect(await send('PUT', '/user/logout')).toEqual([405, 'GET, HEAD, POST'])
  expect(await send('POST', '/user/search')).toEqual([405, 'GET, HEAD'])
})

test('a visitor who has signed in continues from the sign-in page, and never returns to it', async () => {
  const panel = await startPanel()
  await panel.account('alice', { password })
  const signIn = async (next: string) =>
    (await submit(panel, '/user/login', { username: 'alice', password, next })).headers.get('location')
  for (const next of ['/user/login', '/user/login?next=/user/dns', '/user/logout', '/user/login/'])
    expect([next, await signIn(next)]).toEqual([next, '/user/'])
  expect(await signIn('/user/cron?q=a&done=deleteCronJob&job=x&undo=y')).toBe('/user/cron?q=a')
  const cookie = cookieOf((await submit(panel, '/user/login', { username: 'alice', password })).headers)
  for (const [path, to] of [
    ['/user/login', '/user/'],
    ['/user/login?next=/user/dns', '/user/dns'],
    ['/user/login?next=//evil.example', '/user/'],
  ] as const) {
    const { status, headers } = await visit(panel, path, cookie)
    expect([path, status, headers.get('location')]).toEqual([path, 303, to])
  }
})

test('a page does not claim what another panel or page did', async () => {
  const panel = await startPanel()
  await panel.account('alice', { password })
  await panel.put('/root/password', { new_password: password })
  const signIn = async (where: string, username: string) =>
    cookieOf((await submit(panel, `/${where}/login`, { username, password })).headers)
  const [alice, root] = [await signIn('user', 'alice'), await signIn('admin', 'root')]
  const says = async (path: string, Cookie: string, text: string) => {
    const headers = { Accept: 'text/html', Cookie, 'Sec-Fetch-Site': 'same-origin' }
    return (await panel.get(`${origin}${path}`, { from, headers })).body.includes(text)
  }
  expect(await says('/user/cron?done=deleteCronJob', alice, 'Cron job deleted.')).toBe(true)
  expect(await says('/user/email?done=deleteCronJob', alice, 'Cron job deleted.')).toBe(false)
  const ended = 'The account is being terminated.'
  expect(await says('/user/email?done=terminateAccount', alice, ended)).toBe(false)
  expect(await says('/admin/accounts/alice/jobs?done=terminateAccount', root, ended)).toBe(true)
  expect(await says('/admin/accounts/alice/email?done=terminateAccount', root, ended)).toBe(false)
  expect(await says('/admin/accounts/alice?done=createAccount', root, 'Account created.')).toBe(true)
  expect(await says('/admin/accounts?done=createAccount', root, 'Account created.')).toBe(false)
})

test('an expired password is only changed by the form, however long the session lasts', async () => {
  const panel = await startPanel()
  await panel.account('alice', { password })
  await panel.patch('/settings', { password_max_age_days: 1 })
  panel.clock.jump(86_400_000 - 1)
  const cookie = cookieOf((await submit(panel, '/user/login', { username: 'alice', password })).headers)
  panel.clock.jump(20 * 60_000)
  const requests = await visit(panel, '/user/', cookie)
  const csrf_token = /name="csrf_token" value="([^"]+)"/.exec(requests.body)![1]!
  const change = (current_password: string) =>
    submit(
      panel,
      '/user/password',
      { csrf_token, current_password, new_password: 'a new password' },
      { Cookie: cookie },
    )
  expect((await change('a guess')).status).toBe(400)
  expect((await change(password)).headers.get('location')).toBe('/user/')
  expect((await visit(panel, '/user/', cookie)).body).toContain('alice.example')
})
