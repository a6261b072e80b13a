import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { HostError } from '../../src/host/contract/driver.ts'
import { FailingDriver } from '../drivers.ts'
import { host, occurred, problem, withAlice } from './fixtures.ts'

const applied = { events: ['job.completed'], jobs: ['domain.update succeeded'] }
const password = 'canary-Sandpiper-6631'

describe("rules of a domain's site", () => {
  test('a new site sends security headers, and shows the rules that were set', async () => {
    const { panel, domain, path } = await withAlice()
    const { id, security_headers } = await domain('shop.example')
    expect(security_headers).toBe(true)
    const rules = {
      canonical: 'www',
      hsts_days: 180,
      security_headers: false,
      static_cache_days: 30,
      error_pages: { 404: '/404.html', '50x': '/down.html' },
      hotlink: { extensions: ['JPG'], allow: ['friend.example'] },
      real_ip: ['192.0.2.0/24'],
    }
    const expected = { ...rules, hotlink: { extensions: ['jpg'], allow: ['friend.example'] } }
    expect((await panel.patch(`${path}/${id}`, rules)).body.domain).toMatchObject(expected)
    expect(await occurred(panel)).toEqual(applied)
    const conf = host(panel).vhost('shop.example')
    expect(conf).toContain('return 301 $scheme://www.shop.example$request_uri;')
    expect(conf).toContain('error_page 500 502 503 504 /down.html;')
    // A self-signed certificate would shut visitors out.
    expect(conf).not.toContain('Strict-Transport-Security')
    const nothing = Object.fromEntries(Object.keys(rules).map((name) => [name, null]))
    const { domain: reset } = (await panel.patch(`${path}/${id}`, nothing)).body
    expect(reset.security_headers).toBe(true)
    for (const name of Object.keys(rules)) if (name !== 'security_headers') expect(reset).not.toHaveProperty(name)
  })

  test("an account's access rules and their networks are limited over all its sites, since nginx has them in memory", async () => {
    const { panel, domain, path } = await withAlice()
    const [shop, blog] = [await domain('shop.example'), await domain('blog.example')]
    const rules = (count: number, networks: number) => ({
      access: Array.from({ length: count }, (_, n) => ({
        path: `/${n}`,
        allow: Array.from({ length: networks }, (_, m) => `2001:db8::${n.toString(16)}:${m.toString(16)}`),
      })),
    })
    const set = async ({ id }: { id: string }, count: number, networks: number) =>
      problem(await panel.patch(`${path}/${id}`, rules(count, networks)))
    expect(await set(shop, 7, 80)).toEqual([202, undefined])
    expect(await set(blog, 5, 90)).toEqual([409, 'limit-reached'])
    expect(await set(blog, 4, 90)).toEqual([202, undefined])
    const parked = { name: 'shop.test', kind: 'parked', parent_id: shop.id }
    expect(problem(await panel.post(path, parked))).toEqual([409, 'limit-reached'])
    expect(await set(shop, 50, 5)).toEqual([202, undefined])
    expect((await panel.post(path, parked)).status).toBe(202)
    for (const name of ['b.example', 'c.example'])
      expect(await set(await domain(name), 45, 1)).toEqual([202, undefined])
    expect(await set(await domain('d.example'), 10, 1)).toEqual([409, 'limit-reached'])
    expect(await set(shop, 1, 1)).toEqual([202, undefined])
    await panel.settle()
  })

  test('a user who is named without a password keeps theirs, and no hash leaves the host', async () => {
    const { panel, domain, path } = await withAlice()
    const { id } = await domain('shop.example')
    const access = (users: object[]) => ({ access: [{ path: '/private', users }] })
    const change = (users: object[]) => panel.patch(`${path}/${id}`, access(users))
    expect(problem(await change([{ name: 'ann' }]))).toEqual([400, 'validation', 'access'])
    const reply = await change([{ name: 'ann', password }])
    expect(reply.body.domain.access).toEqual(access([{ name: 'ann' }]).access)
    await panel.settle()
    const file = host(panel).path('etc/panel/nginx/access/shop.example.0')
    const before = readFileSync(file, 'utf8')
    expect(before).toMatch(/^# panel account [0-9A-Z]{26}\nann:\{SSHA\}[A-Za-z0-9+/]{48}\n$/)
    await change([{ name: 'ann' }, { name: 'ben', password }])
    await panel.settle()
    const [, first, second] = readFileSync(file, 'utf8').split('\n')
    expect([first, second?.slice(0, 10)]).toEqual([before.split('\n')[1], 'ben:{SSHA}'])
    const audit = JSON.stringify((await panel.get('/audit')).body)
    expect(audit).toContain('"ann"')
    expect(audit).not.toMatch(/SSHA|Sandpiper/)
    await panel.patch(`${path}/${id}`, { access: null })
    await panel.settle()
    expect(readdirSync(host(panel).path('etc/panel/nginx/access'))).toEqual([])
  })

  test('a parked domain has the rules of its parent, and its own canonical name', async () => {
    const { panel, domain, path, named } = await withAlice()
    const { id } = await domain('alice.test', { kind: 'parked' })
    await panel.patch(`${path}/${(await named('alice.example')).id}`, { static_cache_days: 7, canonical: 'www' })
    await panel.settle()
    expect(problem(await panel.patch(`${path}/${id}`, { static_cache_days: 1 }))).toEqual([
      400,
      'validation',
      'static_cache_days',
    ])
    expect((await panel.patch(`${path}/${id}`, { canonical: 'name' })).body.domain).toMatchObject({
      static_cache_days: 7,
      canonical: 'name',
    })
    await panel.settle()
    expect(host(panel).vhost('alice.test')).toContain('return 301 $scheme://alice.test$request_uri;')
    expect(host(panel).vhost('alice.test')).toContain('set $panel_expires_value 7d;')
  })

  const hostile = ['\n', '"', "'", '}', ';', '\0', '$', '\\', '`', ' ']
  test('no text that could be misinterpreted is accepted, and nothing changes on the host', async () => {
    const { panel, domain, path } = await withAlice()
    const { id } = await domain('shop.example')
    const before = host(panel).vhost('shop.example')
    for (const character of hostile) {
      const text = `a${character}b`
      const bodies = [
        ['error_pages', { 404: `/${text}` }],
        ['access', [{ path: `/${text}`, deny: ['192.0.2.7'] }]],
        ['access', [{ path: '/', users: [{ name: text, password }] }]],
        ['access', [{ path: '/', allow: [`192.0.2.7${character}`] }]],
        ['hotlink', { extensions: [text] }],
        ['hotlink', { extensions: ['jpg'], allow: [`${text}.example`] }],
        ['real_ip', [`192.0.2.0/24${character}`]],
        ['canonical', text],
        ['document_root', text],
        ['handler', text],
        ['hsts_days', text],
        ['static_cache_days', text],
        ['security_headers', text],
        ['http3', text],
      ] as const
      for (const [field, value] of bodies) {
        const [status, code, invalid] = problem(await panel.patch(`${path}/${id}`, { [field]: value }))
        expect([status, code, String(invalid).split('.')[0]], field).toEqual([400, 'validation', field])
      }
    }
    expect(await occurred(panel)).toEqual({ events: [], jobs: [] })
    expect(host(panel).vhost('shop.example')).toBe(before)
  })

  test.each<[string, string, unknown]>([
    ['a www name of a subdomain', 'canonical', 'www'],
    ['a path with a parent', 'error_pages.404', { 404: '/a/../b' }],
    ['a rule without an effect', 'access', [{ path: '/a' }]],
    ['a user twice', 'access', [{ path: '/a', users: [1, 2].map(() => ({ name: 'ann', password })) }]],
    ['the whole of the network', 'real_ip', ['0.0.0.0/0']],
    ['cloudflare beside others', 'real_ip', ['cloudflare', '192.0.2.0/24']],
    ['too long a time', 'hsts_days', 731],
  ])('refuses %s', async (_, field, value) => {
    const { panel, domain, path } = await withAlice()
    const { id } = await domain('blog.alice.example')
    expect(problem(await panel.patch(`${path}/${id}`, { [field.split('.')[0]!]: value }))).toEqual([
      400,
      'validation',
      field,
    ])
  })
})

describe('what only root sets', () => {
  const include = 'location = /status {\n  return 204;\n}'

  test('directives for nginx are seen and set by root and admin tokens of the area server alone', async () => {
    const { panel, alice, domain, path } = await withAlice()
    const { id } = await domain('shop.example')
    const tokens = {
      full: await panel.token(['full-access']),
      server: await panel.token(['accounts:write', 'server:write']),
      accounts: await panel.token(['accounts:write']),
      customer: await panel.token(['domains:write'], { account: alice.id }),
    }
    const change = (token?: string, value: unknown = include) =>
      panel.patch(`${path}/${id}`, { nginx_include: value }, token === undefined ? {} : { token })
    expect(problem(await change(tokens.accounts))).toEqual([403, 'token-scope'])
    expect(problem(await change(tokens.customer))).toEqual([403, 'forbidden'])
    expect(problem(await change(tokens.customer, null))).toEqual([403, 'forbidden'])
    expect(await occurred(panel)).toEqual({ events: [], jobs: [] })
    expect((await change(tokens.server)).body.domain.nginx_include).toBe(include)
    expect(await occurred(panel)).toEqual(applied)
    const seen = async (token: string) => (await panel.get(`${path}/${id}`, { token })).body.nginx_include
    expect([await seen(tokens.full), await seen(tokens.server)]).toEqual([include, include])
    expect([await seen(tokens.accounts), await seen(tokens.customer)]).toEqual([undefined, undefined])
    const ofOthers = await panel.patch(`${path}/${id}`, { hsts_days: 1 }, { token: tokens.customer })
    expect(ofOthers.body.domain).not.toHaveProperty('nginx_include')
    expect((await panel.get(`${path}/${id}`)).body.nginx_include).toBe(include)
    expect(JSON.stringify((await panel.get(`/accounts/${alice.id}/audit`)).body)).not.toContain('status')
  })

  test('directives are a file of their own, which the site includes', async () => {
    const { panel, domain, path } = await withAlice()
    const { id } = await domain('shop.example')
    await panel.patch(`${path}/${id}`, { nginx_include: include })
    await panel.settle()
    expect(host(panel).vhost('shop.example')).toContain('  include /etc/panel/nginx/include/shop.example.conf;\n}')
    const file = host(panel).path('etc/panel/nginx/include/shop.example.conf')
    expect(readFileSync(file, 'utf8')).toMatch(
      new RegExp(
        `^# panel account [0-9A-Z]{26}\n${include.replace('.', '\\.')}\n$`
          .replaceAll('{\n', '\\{\n')
          .replaceAll('\n}', '\n\\}'),
      ),
    )
    await panel.patch(`${path}/${id}`, { nginx_include: null })
    await panel.settle()
    expect(host(panel).has('etc/panel/nginx/include/shop.example.conf')).toBe(false)
  })

  test('a text that nginx refuses fails the job with its message, and the former values are back', async () => {
    const message = 'nginx: [emerg] unknown directive "nonsense" in /etc/panel/nginx/include/shop.example.conf:2'
    let driver!: FailingDriver
    const { panel, domain, path } = await withAlice({
      driver: (root) => {
        driver = new FailingDriver(root, 0, () => new HostError('validate', message))
        return driver
      },
    })
    const { id } = await domain('shop.example', {})
    await panel.patch(`${path}/${id}`, { static_cache_days: 7 })
    await panel.settle()
    panel.forget()
    const before = host(panel).vhost('shop.example')
    driver.failures = 1
    const { job_id } = (await panel.patch(`${path}/${id}`, { nginx_include: 'nonsense on;', static_cache_days: 9 }))
      .body
    expect(await occurred(panel)).toEqual({ events: ['job.failed'], jobs: ['domain.update failed'] })
    expect((await panel.get(`/jobs/${job_id}`)).body.job).toMatchObject({ attempts: 1, error: message })
    const { body } = await panel.get(`${path}/${id}`)
    expect(body.static_cache_days).toBe(7)
    expect(body).not.toHaveProperty('nginx_include')
    expect(host(panel).vhost('shop.example')).toBe(before)
  })

  test.each([['\0'], ['\u001b'], ['é'.repeat(8193)], ['x'.repeat(16_385)], ['']])(
    'refuses other text %#',
    async (text) => {
      const { panel, domain, path } = await withAlice()
      const { id } = await domain('shop.example')
      expect(problem(await panel.patch(`${path}/${id}`, { nginx_include: text }))).toEqual([
        400,
        'validation',
        'nginx_include',
      ])
    },
  )
})

test('a key is refused only with a password', async () => {
  const { panel, domain, path } = await withAlice()
  const { id } = await domain('shop.example')
  const send = (body: object) => panel.patch(`${path}/${id}`, body, { headers: { 'Idempotency-Key': 'k1' } })
  const access = (user: object) => ({
    access: [
      { path: '/a', deny: ['192.0.2.7'] },
      { path: '/b', users: [user] },
    ],
  })
  expect(problem(await send(access({ name: 'ann', password })))).toEqual([400, 'validation', 'Idempotency-Key'])
  expect(await occurred(panel)).toEqual({ events: [], jobs: [] })
  expect((await send({ static_cache_days: 1 })).status).toBe(202)
  await panel.patch(`${path}/${id}`, access({ name: 'ann', password }))
  expect((await send(access({ name: 'ann' }))).status).toBe(202)
})

describe('HTTP/3', () => {
  test('is served next to a certificate', async () => {
    const { panel, domain, path } = await withAlice()
    const { id } = await domain('shop.example')
    expect((await panel.patch(`${path}/${id}`, { http3: true })).body.domain.http3).toBe(true)
    await panel.settle()
    expect(host(panel).vhost('shop.example')).toContain('  listen 443 quic;\n  listen [::]:443 quic;\n')
    expect((await panel.patch(`${path}/${id}`, { http3: null })).body.domain).not.toHaveProperty('http3')
  })

  test('is not configured where nginx has none', async () => {
    const driver = (root: string) =>
      Object.defineProperty(new FailingDriver(root, 0), 'features', { value: ['apache'] })
    const { panel, domain, path } = await withAlice({ debian: true, driver })
    const { id } = await domain('shop.example')
    expect(problem(await panel.patch(`${path}/${id}`, { http3: true }))).toEqual([409, 'not-configured', 'http3'])
    expect((await panel.patch(`${path}/${id}`, { http3: false })).status).toBe(202)
  })
})
