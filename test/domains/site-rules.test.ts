import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
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
