import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { TestPanel } from '../harness.ts'
import { nothing, occurred, problem, withAlice } from './fixtures.ts'

/** Every file that is rendered, with the hash of its bytes. */
function rendered(panel: TestPanel): string[] {
  const root = join(panel.dir, 'host/etc')
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => `${path} ${createHash('sha256').update(readFileSync(path)).digest('hex')}`)
}

async function withShop() {
  const made = await withAlice()
  const { id } = await made.domain('shop.example')
  const at = `${made.path}/${id}`
  return { ...made, at, set: (body: object) => made.panel.patch(at, body) }
}

const characters = ['\n', '\r', '"', "'", '{', '}', ';', '\0', '$', '\\', '`', '#', '\t', '\u2028', '\u202e', '｡']

test('no text of any field that nginx, PHP or Apache would read otherwise is accepted, and no file changes', async () => {
  const { panel, at, set } = await withShop()
  const before = rendered(panel)
  expect(before.length).toBeGreaterThan(5)
  const networks = (one: string) => [{ path: '/', allow: [one] }]
  for (const character of characters)
    for (const text of [`a${character}b`, `a${character}`, `${character}a`]) {
      const bodies: [string, unknown][] = [
        ['php_version', text],
        ['php_version', `8.4${character}`],
        ['php', { extensions: [text] }],
        ['php', { memory_limit_mb: text }],
        ['php', { display_errors: text }],
        ['php', { [text]: 1 }],
        ...(['401', '403', '404', '410', '50x'] as const).map((code): [string, unknown] => [
          'error_pages',
          { [code]: `/${text}` },
        ]),
        ['error_pages', { [text]: '/a' }],
        ['access', [{ path: `/${text}`, deny: ['192.0.2.7'] }]],
        ['access', [{ path: '/', users: [{ name: text, password: 'correct horse battery' }] }]],
        ['access', networks(`192.0.2.7${character}`)],
        ['access', networks(`${character}2001:db8::/32`)],
        ['access', networks(text)],
        ['hotlink', { extensions: [text] }],
        ['hotlink', { extensions: ['jpg'], allow: [`${text}.example`] }],
        ['hotlink', { extensions: ['jpg'], allow: [`friend.example${character}`] }],
        ['real_ip', [`192.0.2.0/24${character}`]],
        ['real_ip', [`cloudflare${character}`]],
        ['document_root', `public/${text}`],
        ...(
          ['canonical', 'handler', 'hsts_days', 'static_cache_days', 'security_headers', 'http3', 'app_id'] as const
        ).map((field): [string, unknown] => [field, text]),
      ]
      for (const [field, value] of bodies) {
        const [status, code, invalid] = problem(await set({ [field]: value }))
        expect([status, code], `${field} ${JSON.stringify(value)}`).toEqual([400, 'validation'])
        expect(String(invalid).split('.')[0], JSON.stringify(value)).toBe(field)
      }
      expect(problem(await panel.post(`${at}/preview`, { hours: text }))).toEqual([400, 'validation', 'hours'])
      for (const setting of ['default_php_version', 'preview_hostname', 'site_idle_minutes', 'default_handler'])
        expect(problem(await panel.patch('/settings', { [setting]: text }))).toEqual([400, 'validation', setting])
    }
  for (const password of ['new\nline password', 'nul\0password', 'short', 'x'.repeat(256)])
    expect(problem(await set({ access: [{ path: '/', users: [{ name: 'ann', password }] }] }))[0], password).toBe(400)
  expect(await occurred(panel)).toEqual(nothing)
  expect(rendered(panel)).toEqual(before)
}, 60_000)

const many = <Value>(count: number, of: (n: number) => Value): Value[] => Array.from({ length: count }, (_, n) => of(n))
const network = (n: number): string => `10.${n >> 8}.${n & 255}.0/24`

/** The first and last values of each field, and those beyond them. */
const bounds: [string, { in: unknown[]; out: unknown[] }][] = [
  ['hsts_days', { in: [0, 730], out: [-1, 731, 1.5, '7', true] }],
  ['static_cache_days', { in: [0, 365], out: [-1, 366, 0.5, []] }],
  ['security_headers', { in: [true, false], out: [1, 'yes'] }],
  ['canonical', { in: ['name', 'www', 'none'], out: ['', 'WWW'] }],
  ['php.memory_limit_mb', { in: [16, 512], out: [15, 513, 64.5] }],
  ['php.max_execution_s', { in: [1, 300], out: [0, 301] }],
  ['php.upload_max_mb', { in: [1, 1024], out: [0, 1025] }],
  ['php.max_input_vars', { in: [100, 100_000], out: [99, 100_001] }],
  [
    'hotlink',
    {
      in: [{ extensions: many(20, (n) => `e${n}`), allow: many(50, (n) => `h${n}.example`) }],
      out: [
        { extensions: [] },
        { extensions: many(21, (n) => `e${n}`) },
        { extensions: ['jpg'], allow: many(51, (n) => `h${n}.example`) },
        { allow: ['a.example'] },
      ],
    },
  ],
  [
    'real_ip',
    {
      in: [['10.0.0.0/8'], ['2001::/16'], ['cloudflare'], many(50, network)],
      out: [['10.0.0.0/7'], ['2000::/15'], many(51, network), ['cloudflare', '10.0.0.0/8'], ['name']],
    },
  ],
  [
    'access',
    {
      in: [
        many(50, (n) => ({ path: `/${n}`, deny: ['192.0.2.7'] })),
        [{ path: '/', allow: many(100, network), deny: many(100, (n) => network(n + 100)) }],
        [{ path: `/${'a'.repeat(511)}`, deny: ['192.0.2.7'] }],
        [{ path: '/', users: many(50, (n) => ({ name: `u${n}`, password: 'correct horse battery' })) }],
      ],
      out: [
        many(51, (n) => ({ path: `/${n}`, deny: ['192.0.2.7'] })),
        [{ path: '/', allow: many(101, network) }],
        [{ path: '/', users: many(51, (n) => ({ name: `u${n}`, password: 'correct horse battery' })) }],
        [{ path: `/${'a'.repeat(512)}`, deny: ['192.0.2.7'] }],
        [{ path: '/a/../b', deny: ['192.0.2.7'] }],
        [{ path: '/./a', deny: ['192.0.2.7'] }],
        [{ path: 'a', deny: ['192.0.2.7'] }],
        [{ path: '/', users: [{ name: 'new' }] }],
        [{ path: '/', allow: [] }],
      ],
    },
  ],
  [
    'document_root',
    {
      in: ['public_html', 'a/b/c/d/e/f/g/h', 'sites/x', `p/${'a'.repeat(255)}`, '_site', 'wwwroot'],
      out: [
        ...['mail', 'tmp', 'etc', 'logs', 'ssl', 'cgi-bin', 'run'].flatMap((first) => [first, `${first}/site`]),
        ...['sites', 'apps', '', '/', '/etc', '..', 'a/../b', 'a/./b', '.git', 'a//b', 'a/', '-a/.b'],
        ...['a/b/c/d/e/f/g/h/i', `p/${'a'.repeat(256)}`],
      ],
    },
  ],
]

const bodyOf = (name: string, value: unknown): object => {
  const [field, key] = name.split('.') as [string, string?]
  return { [field]: key ? { [key]: value } : value }
}

test.each(bounds)('%s takes its first and last values, and nothing beyond', async (name, values) => {
  const { set } = await withShop()
  for (const value of values.in) {
    const reply = await set(bodyOf(name, value))
    expect(reply.status, `${JSON.stringify(value).slice(0, 80)}: ${JSON.stringify(reply.body.fields)}`).toBe(202)
  }
  for (const value of values.out) {
    const [status, , invalid] = problem(await set(bodyOf(name, value)))
    expect([status, String(invalid).split('.')[0]], JSON.stringify(value).slice(0, 80)).toEqual([
      400,
      name.split('.')[0],
    ])
  }
  expect((await set({ [name.split('.')[0]!]: name === 'document_root' ? 'public' : null })).status).toBe(202)
})

test('a request is larger than the largest file by at least one megabyte, and by one beyond the bound', async () => {
  const { set } = await withShop()
  for (const [php, status] of [
    [{ upload_max_mb: 10, post_max_mb: 10 }, 400],
    [{ upload_max_mb: 10, post_max_mb: 11 }, 202],
    [{ upload_max_mb: 1024, post_max_mb: 1025 }, 202],
    [{ upload_max_mb: 10, post_max_mb: 1026 }, 400],
  ] as const)
    expect((await set({ php })).status, JSON.stringify(php)).toBe(status)
})
