import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { operations } from '../../../src/contract/index.ts'
import { appsIn } from '../../apps/fixtures.ts'
import { turns } from '../../clock.ts'
import { startPanel, type TestPanel } from '../../harness.ts'
import { resellerToken } from '../../world.ts'
import { makeVisited, pages } from '../map.ts'
import { formIn, origin, password, textOf, Visitor } from '../visitor.ts'
import { type Reached, startReached } from './reached.ts'

describe('pages of an account', () => {
  let reached: Reached
  let visited: Awaited<ReturnType<typeof makeVisited>>
  const named = () => pages.filter(({ base, screen }) => base !== '/admin' && /\{\w+\}/.test(screen.path))
  /** Addresses of pages with an id or a name of another account. */
  const addresses = (base: string) => named().flatMap((page) => (page.base === base ? [visited.addressOf(page)] : []))

  beforeAll(async () => {
    reached = await startReached()
    visited = await makeVisited(reached.panel)
    await reached.panel.post(`/accounts/${visited.world.bob.id}/password`, { new_password: password })
  }, 60_000)
  afterAll(() => reached.end())

  test('hides pages from another customer, whatever ids it knows, who changes nothing', async () => {
    const bob = await new Visitor(reached.panel).signIn('bob')
    const [, csrf_token = ''] = /name="csrf_token" value="([^"]+)"/.exec((await bob.get('/user/cron/new')).body) ?? []
    const before = reached.panel.store.sqlite.prepare('SELECT count(*) FROM audit WHERE account_id = ?').pluck()
    const count = before.get(visited.world.alice.id)
    const seen: unknown[] = []
    for (const { base, screen } of named().filter((page) => page.base === '/user')) {
      const at = visited.addressOf({ base, screen })
      const { status, body } = await bob.get(at)
      // An empty form reveals nothing about its object.
      const isForm = operations[screen.shows].method !== 'get'
      if ((status !== 404 && !isForm) || /alice/.test(textOf(body).replaceAll(decodeURIComponent(at), '')))
        seen.push([at, status])
    }
    for (const { base, screen } of named().filter((page) => page.base === '/user'))
      for (const op of Object.keys(screen.acts ?? {})) {
        const at = visited.addressOf({ base, screen })
        const { status } = await bob.post(at, { do: op, csrf_token, _yes: '1' })
        if (status !== 404 && status !== 403) seen.push([at, op, status])
      }
    expect([seen, before.get(visited.world.alice.id)]).toEqual([[], count])
  }, 60_000)

  test('hides pages from a reseller of others', async () => {
    const { panel } = reached
    const { id } = await panel.account('vera', { password, make_reseller: true })
    await resellerToken(panel, id, ['all'])
    const vera = await new Visitor(panel).signIn('vera', 'admin')
    const seen: unknown[] = []
    for (const at of [
      ...addresses('/admin/accounts/alice'),
      '/admin/accounts/alice',
      '/admin/accounts/alice/settings',
    ]) {
      const { status } = await vera.get(at)
      if (status !== 404) seen.push([at, status])
    }
    expect(seen).toEqual([])
  }, 60_000)

  test('refuses frames, sniffing as another type, and caching by others', async () => {
    const lacking: unknown[] = []
    const check = (at: string, headers: Headers, stored: RegExp): void => {
      const policy = headers.get('content-security-policy') ?? ''
      if (headers.get('x-frame-options') !== 'DENY') lacking.push([at, 'frames'])
      if (!/frame-ancestors 'none'|^sandbox$/.test(policy)) lacking.push([at, policy])
      if (headers.get('x-content-type-options') !== 'nosniff') lacking.push([at, 'types'])
      if (!headers.get('strict-transport-security')) lacking.push([at, 'plain HTTP'])
      if (!stored.test(headers.get('cache-control') ?? '')) lacking.push([at, headers.get('cache-control')])
    }
    const unshared = /private|no-store/
    for (const page of pages) {
      const who = visited.whoSees(page.base)
      const at = visited.addressOf(page)
      const visible = await who.get(at)
      check(at, visible.headers, unshared)
      if (visible.body.includes('format=csv')) check(`${at} csv`, (await who.get(`${at}?format=csv`)).headers, unshared)
      check(`${at} bar`, (await who.get(at, { 'X-Part': 'say' })).headers, unshared)
      check(`${at} signed out`, (await new Visitor(reached.panel).get(at)).headers, unshared)
    }
    const stranger = new Visitor(reached.panel)
    const { customer } = visited
    for (const at of ['/user/nowhere', '/user/login', '/admin/login', '/user/live/cron', '/assets/none', '/nowhere'])
      check(at, (await stranger.get(at)).headers, unshared)
    for (const at of ['/user/search?q=alice', '/user/edit/page.html?format=file', '/user/cron/none'])
      check(at, (await customer.get(at)).headers, unshared)
    check('a link', (await stranger.get('/api/v1/user/auth/sso?token=none')).headers, unshared)
    expect(lacking).toEqual([])
  }, 60_000)
})

describe('visitor', () => {
  let panel: TestPanel
  let alice: Visitor
  let account: string
  beforeEach(async () => {
    panel = await startPanel()
    account = (await panel.account('alice', { password })).id
    alice = await new Visitor(panel).signIn('alice')
  })

  const tokenOf = async (visitor: Visitor): Promise<string> =>
    /name="csrf_token" value="([^"]+)"/.exec((await visitor.get('/user/cron/new')).body)![1]!

  test.each(['https://evil.example', 'http://host.example:7711', 'https://host.example', 'null'])(
    'does not sign a visitor in or out or ask for a secret in a form of %s',
    async (Origin) => {
      const csrf_token = await tokenOf(alice)
      for (const [path, form] of [
        ['/login', { username: 'alice', password }],
        ['/login/code', { code: '123456' }],
        ['/logout', { csrf_token }],
        ['/password', { csrf_token, current_password: password, new_password: 'another password' }],
        ['/two-factor', { csrf_token, secret: 'PLANTED', uri: 'otpauth://totp/planted', code: '123456' }],
        ['/two-factor/key', { csrf_token }],
        ['/confirm', { csrf_token, password }],
        ['/stay', { csrf_token }],
        ['/display', { csrf_token, theme: 'dark' }],
      ] as const) {
        const reply = await alice.post(`/user${path}`, form, { Origin })
        expect([path, reply.status, reply.headers.getSetCookie(), /PLANTED/.test(reply.body)]).toEqual([
          path,
          403,
          [],
          false,
        ])
      }
      expect((await alice.get('/user/')).status).toBe(200)
    },
  )

  test('gives a visitor a new session on signing in, which ends the previous one', async () => {
    const planted = `panel_user=${'A'.repeat(43)}`
    const form = { username: 'alice', password }
    const fresh = await new Visitor(panel).post('/user/login', form, { Cookie: planted })
    const [cookie] = fresh.headers.getSetCookie()
    expect(cookie).toMatch(/^panel_user=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax; Max-Age=\d+$/)
    expect(cookie).not.toContain('AAAA')
    const first = cookie!.split(';')[0]!
    expect((await new Visitor(panel).get('/user/', { Cookie: first })).status).toBe(200)
    await new Visitor(panel).post('/user/login', form, { Cookie: first })
    expect((await new Visitor(panel).get('/user/', { Cookie: first })).status).toBe(303)
    expect((await new Visitor(panel).get('/user/', { Cookie: planted })).status).toBe(303)
  })

  test('signs in no visitor who sends two session cookies, since one may be planted', async () => {
    const { headers } = await new Visitor(panel).post('/user/login', { username: 'alice', password })
    const own = headers.getSetCookie()[0]!.split(';')[0]!
    const planted = `panel_user=${'B'.repeat(43)}`
    for (const Cookie of [`${own}; ${planted}`, `${planted}; ${own}`])
      expect((await new Visitor(panel).get('/user/', { Cookie })).status).toBe(303)
  })

  test('allows a visitor no other methods except HEAD, and no header to override them', async () => {
    const cookies = await new Visitor(panel).post('/user/login', { username: 'alice', password })
    const Cookie = cookies.headers.getSetCookie()[0]!.split(';')[0]!
    const ask = (method: string, headers: Record<string, string> = {}) =>
      panel.send(method, `${origin}/user/cron/new`, {
        from: '198.51.100.7',
        headers: { Accept: 'text/html', Cookie, Origin: origin, ...headers },
      })
    for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const { status, headers } = await ask(method)
      expect([method, status, headers.get('allow')]).toEqual([method, 405, 'GET, HEAD, POST'])
      expect(headers.get('access-control-allow-origin')).toBe(null)
    }
    const head = await ask('HEAD')
    expect([head.status, head.body]).toEqual([200, ''])
    const csrf_token = await tokenOf(alice)
    for (const name of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])
      await alice.get('/user/cron/new?do=createCronJob&schedule=@daily&command=true&_method=POST', { [name]: 'POST' })
    await alice.get(
      `/user/cron/new?${new URLSearchParams({ do: 'createCronJob', schedule: '@daily', command: 'x', csrf_token })}`,
    )
    await panel.settle()
    expect([panel.jobs(), panel.events()]).toEqual([[], []])
  })

  test('answers a visitor in an existing language, whatever headers and cookies say', async () => {
    const odd = [
      '__proto__',
      'constructor;q=1',
      '*;q=0.1, de;q=1e999, en;q=-1',
      'ar-XB;q=NaN',
      '"><script>',
      `${'de-x,'.repeat(2_000)}en`,
      ',;q=;,',
    ]
    const views = [
      'theme."><img>',
      'theme.__proto__~locale.constructor',
      'say.x'.repeat(200),
      '%ff',
      '=;=',
      'theme~say',
    ]
    for (const accepted of odd)
      for (const view of views) {
        const Cookie = `panel_view=${view}`
        const page = await new Visitor(panel).get('/user/login', { 'Accept-Language': accepted, Cookie })
        const [, lang, rest = ''] = /<html lang="([^"]*)"([^>]*)>/.exec(page.body) ?? []
        expect([page.status, ['en', 'de', 'ar-XB'].includes(lang!), /img|script|proto/.test(rest)]).toEqual([
          200,
          true,
          false,
        ])
      }
  })

  test("gives a visitor's files their own names, which reach no other header", async () => {
    const tmp = join(panel.dir, 'host/home/alice/tmp')
    mkdirSync(tmp, { recursive: true })
    const names = [
      'a"\r\nSet-Cookie: planted=1.html',
      "it's;filename=evil.html",
      '\u202egpj.exe',
      'ü%0d%0a.txt',
      "x''y",
    ]
    for (const name of names) writeFileSync(join(tmp, name), '<script>')
    for (const name of names) {
      const path = `tmp/${name}`.split('/').map(encodeURIComponent).join('/')
      for (const at of [`/user/edit/${path}?format=file`, `/api/v1/accounts/${account}/files/content?path=${path}`]) {
        const { status, headers } = await alice.get(at)
        const received = headers.get('content-disposition') ?? ''
        expect([name, status, headers.getSetCookie()]).toEqual([name, 200, []])
        expect(received).toMatch(/^attachment; filename="[\w.-]*"; filename\*=UTF-8''[%\w.!#$&+^`|~-]+$/)
        expect(decodeURIComponent(received.split("''")[1]!)).toBe(name)
        expect([headers.get('content-type'), headers.get('content-security-policy')]).toEqual([
          'application/octet-stream',
          'sandbox',
        ])
      }
    }
  })

  test('redirects a visitor home, whatever target a sign-in, a link or a form names', async () => {
    const unreachable = [
      '//evil.example',
      '/\\evil.example',
      '/user/../admin/',
      '/user/..%2fadmin/',
      '/user/.%2e/admin/',
      '/user/%252e%252e/admin/',
      '%2f%2fevil.example',
      'javascript:alert(1)',
      'https://evil.example/user/',
      '/user/\nSet-Cookie: a=b',
      '/user/\tevil',
      '/user//evil.example',
      '/userevil',
      '/user',
      '',
    ]
    for (const next of unreachable) {
      const query = new URLSearchParams({ next })
      expect([next, (await alice.get(`/user/login?${query}`)).headers.get('location')]).toEqual([next, '/user/'])
      const form = { username: 'alice', password, next }
      const entered = await new Visitor(panel).post('/user/login', form)
      expect([next, entered.headers.get('location')]).toEqual([next, '/user/'])
      if (next !== '')
        expect([next, (await panel.post(`/accounts/${account}/sso`, { goto: next })).status]).toEqual([next, 400])
    }
    const csrf_token = await tokenOf(alice)
    const left = await alice.post('/user/logout', { csrf_token, to: 'https://evil.example/' })
    expect(left.headers.get('location')).toBe('/user/login')
  })

  test('says who is signed in before it saves an older form of another', async () => {
    const page = await alice.get('/user/cron/new')
    await panel.account('bob', { password })
    await alice.signIn('bob')
    const typed = { schedule: '@daily', command: 'true' }
    const refused = await alice.submit(page, 'createCronJob', typed)
    expect([refused.status, textOf(refused.body).includes('now as bob. Check it and save.')]).toEqual([403, true])
    expect(formIn(refused.body, 'createCronJob').fields.get('command')).toBe('true')
    expect(panel.jobs()).toEqual([])
  })

  test('changes many rows once, however often a visitor presses the button', async () => {
    const tmp = join(panel.dir, 'host/home/alice/tmp')
    mkdirSync(join(tmp, 'to'), { recursive: true })
    for (const name of ['one', 'two']) writeFileSync(join(tmp, name), name)
    const { fields } = formIn((await alice.get('/user/files/tmp')).body, 'makeDirectory')
    fields.set('do', 'copyFile')
    fields.delete('path')
    for (const name of ['one', 'two']) fields.append('_item', Buffer.from(`tmp/${name}`).toString('base64url'))
    const requests = await alice.post('/user/files/tmp', fields)
    const typed = { to: 'tmp/to' }
    for (let press = 0; press < 2; press++)
      expect(textOf((await alice.submit(requests, 'copyFile', typed)).body)).toContain('2 done, 0 refused')
    await panel.settle()
    expect(panel.jobs()).toEqual(['files.copy succeeded', 'files.copy succeeded'])
  })

  test('gives a visitor who signs in repeatedly at most 12 streams, and leaves room for others', async () => {
    const bob = (await panel.account('bob', { password })).id
    for (const id of [account, bob]) await appsIn(panel, id).app('shop', 'static')
    const streams: Promise<{ status: number }>[] = []
    const follow = async (name: string): Promise<Promise<{ status: number }>[]> => {
      const visitor = await new Visitor(panel).signIn(name)
      const { body } = await visitor.get('/user/apps/shop/log')
      const [, live, after] = /data-live="([^"]+)" data-after="([^"]+)"/.exec(body)!
      const own = [1, 2, 3].map(() => visitor.get(`${live}?after=${after}`))
      await turns(20)
      streams.push(...own)
      return own
    }
    for (let session = 0; session < 4; session++) await follow('alice')
    const [refused] = await follow('alice')
    expect((await refused!).status).toBe(503)
    await follow('bob')
    let over = false
    const all = Promise.all(streams).finally(() => {
      over = true
    })
    while (!over) await panel.clock.advance(5_000)
    const statuses = (await all).map(({ status }) => status)
    expect([200, 503].map((status) => statuses.filter((one) => one === status).length)).toEqual([15, 3])
  }, 60_000)

  test('refuses endless or far too many fields of a visitor, and stores nothing', async () => {
    const csrf_token = await tokenOf(alice)
    const many = new URLSearchParams({ csrf_token, do: 'createCronJob' })
    for (let at = 0; at < 20_000; at++) many.append(`f${at}`, '')
    expect((await alice.post('/user/cron/new', many)).status).toBe(400)
    expect(
      (await alice.post('/user/cron/new', { do: 'createCronJob', csrf_token, x: 'x'.repeat(1_100_000) })).status,
    ).toBe(413)
    const stranger = new Visitor(panel)
    const long = await stranger.post('/user/cron/new', { do: 'createCronJob', x: 'x'.repeat(20_000) })
    expect([long.status, long.body.includes('xxxx')]).toEqual([401, false])
    expect((await stranger.post('/user/login', { username: 'x'.repeat(20_000), password })).status).toBe(413)
    expect(panel.jobs()).toEqual([])
  })
})
