import { mkdirSync, renameSync, symlinkSync, truncateSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { day, minute } from '../../src/shared/time.ts'
import { host, nothing, occurred, problem } from '../domains/fixtures.ts'
import type { Json } from '../harness.ts'
import { configOf, root, versionOf, withSites } from './fixtures.ts'

const site = 'alice.example'

describe('scanWordpress', () => {
  test('has the firewall spare the editor of what it finds', async () => {
    const { panel, alice, wordpress, scan, domain } = await withSites()
    const { id } = await domain('shop.example', { document_root: 'shop' })
    await domain('shop.test', { kind: 'parked', parent_id: id })
    await panel.patch(`/accounts/${alice.id}/domains/${id}`, { waf: { mode: 'block' } })
    await panel.settle()
    const spares = () =>
      ['shop.example', 'shop.test'].map((name) =>
        host(panel).vhost(name).includes('setvar:tx.crs_exclusions_wordpress=1'),
      )
    expect(spares()).toEqual([false, false])
    wordpress('shop', configOf())
    await scan()
    await panel.settle()
    expect(spares()).toEqual([true, true])
  })

  test('finds an installation and shows what its files say', async () => {
    const { panel, alice, wordpress, scan, domain } = await withSites()
    await domain('shop.example', { document_root: 'shop' })
    wordpress('shop/blog', configOf("define('WP_DEBUG', false);"))
    const { 'shop.example/blog': found, ...others } = await scan()
    expect(others).toEqual({})
    expect(found).toEqual({
      id: expect.any(String),
      account_id: alice.id,
      domain_id: expect.any(String),
      domain: 'shop.example',
      path: '/blog',
      version: '6.8.1',
      php_version: '8.4',
      url: 'http://shop.example/blog',
      admin_url: 'http://shop.example/blog/wp-admin/',
      db: 'alice_wp',
      table_prefix: 'wp_',
      multisite: false,
      updates: { plugins: 0, themes: 0 },
      auto_update: 'off',
      environment: 'production',
      status: 'active',
      health: { warnings: 0, errors: 0 },
      last_checked_at: expect.any(Number),
      created_at: expect.any(Number),
    })
    expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['wordpress.scan succeeded'] })
    expect((await panel.get(`/accounts/${alice.id}/wordpress/${found!['id']}`)).body).toEqual(found)
  })

  test.each([
    [
      'a network of sites',
      configOf("define( 'MULTISITE', true );\ndefine('SUBDOMAIN_INSTALL', true);"),
      { multisite: true },
    ],
    ['a prefix with digits', configOf('', 'wp2_7x_'), { table_prefix: 'wp2_7x_' }],
    ['a staging copy', configOf("define('WP_ENVIRONMENT_TYPE', 'staging');"), { environment: 'staging' }],
    ['a content directory of its own', configOf("define('WP_CONTENT_DIR', __DIR__ . '/content');"), { db: 'alice_wp' }],
    [
      'a condition that ends',
      `<?php defined('ABSPATH') || exit; if (!defined('X')) die; $a->exec('x'); ?> text <?php\nconst DB_NAME = "alice_wp";\n$table_prefix  = 'wp_';`,
      { db: 'alice_wp', status: 'active' },
    ],
    [
      'variables of the environment',
      "<?php define('DB_NAME', getenv('NAME') ?: 'alice_env'); $table_prefix = $_ENV['PREFIX'] ?? 'x_';",
      { db: 'alice_env', table_prefix: 'x_', status: 'active' },
    ],
    [
      'a definition in a comment',
      `<?php /* define('DB_NAME','no'); */ # define('DB_NAME','no')\n${configOf().slice(5)}`,
      { db: 'alice_wp' },
    ],
  ])('shows %s', async (_, config, expected) => {
    const { wordpress, scan } = await withSites()
    wordpress(root, config)
    expect((await scan())[site]).toMatchObject({ status: 'active', ...expected })
  })

  test('takes wp-config.php from above the root, unless that is of another site', async () => {
    const { core, write, wordpress, scan } = await withSites()
    core(root)
    write('sites/alice.example/wp-config.php', configOf('', 'above_'))
    wordpress(`${root}/outer`, configOf())
    core(`${root}/outer/inner`)
    expect(await scan()).toMatchObject({
      [site]: { table_prefix: 'above_', status: 'active' },
      [`${site}/outer`]: { status: 'active' },
      [`${site}/outer/inner`]: { status: 'unhealthy', reason: expect.stringContaining('has no wp-config.php') },
    })
  })

  test('shows WordPress in a directory of its own at the address of its pages', async () => {
    const { core, write, scan } = await withSites()
    core(`${root}/wordpress`)
    write(`${root}/wordpress/wp-config.php`, configOf())
    write(
      `${root}/index.php`,
      "<?php define('WP_USE_THEMES', true);\nrequire __DIR__ . '/wordpress/wp-blog-header.php';",
    )
    expect(await scan()).toMatchObject({
      [site]: { path: '/', url: `http://${site}/`, admin_url: `http://${site}/wordpress/wp-admin/` },
    })
  })

  test('reads a layout like that of Bedrock', async () => {
    const { core, write, scan, domain } = await withSites()
    await domain('rock.example', { document_root: 'rock/web' })
    core('rock/web/wp')
    write('rock/web/index.php', "<?php require __DIR__ . '/wp/wp-blog-header.php';")
    write(
      'rock/web/wp-config.php',
      "<?php require_once dirname(__DIR__) . '/vendor/autoload.php';\nrequire_once dirname(__DIR__) . '/config/application.php';\nrequire_once ABSPATH . 'wp-settings.php';",
    )
    write(
      'rock/config/application.php',
      "<?php use Roots\\WPConfig\\Config;\ndefine('WP_ENV', env('WP_ENV') ?: 'production');\nConfig::define('DB_NAME', env('DB_NAME'));\n$table_prefix = env('DB_PREFIX') ?: 'wp_';",
    )
    write('rock/.env', '# settings\nDB_NAME=\'alice_rock\'\nDB_PASSWORD="x#y"\nWP_ENV=staging # copy\n')
    expect(await scan()).toMatchObject({
      'rock.example': {
        path: '/',
        db: 'alice_rock',
        table_prefix: 'wp_',
        environment: 'staging',
        status: 'active',
        admin_url: 'http://rock.example/wp/wp-admin/',
      },
    })
  })

  test.each([
    ['die', '<?php die("x");', 'ends before'],
    ['exec', `${configOf()}\nexec('touch /tmp/x');`, 'runs programs'],
    ['backticks', `${configOf()}\n\`id\`;`, 'runs programs'],
    ['eval', `<?php eval(base64_decode('ZGll'));`, 'runs programs'],
    ['an endless loop', `${configOf()}\nwhile (true) {}`, 'has a loop'],
    ['no PHP', 'DB_NAME=x', 'does not name its database'],
    ['a prefix that is none', configOf('', 'wp-; DROP'), 'table prefix'],
    ['an open string', `<?php ${`'`.repeat(30_001)}`, 'does not name its database'],
    ['many escapes', `<?php ${`\\'`.repeat(32_000)}`, 'does not name its database'],
    ['many open heredocs', `<?php ${'<<<A\n'.repeat(13_000)}`, 'does not name its database'],
    ['bytes of any kind', Buffer.from(Array.from({ length: 60_000 }, (_, at) => (at * 7) % 256)), 'does not name'],
  ])('names a hostile configuration unhealthy: %s', async (_, config, reason) => {
    const { core, write, scan } = await withSites()
    core(root)
    write(`${root}/wp-config.php`, config)
    const begun = performance.now()
    expect((await scan())[site]).toMatchObject({ status: 'unhealthy', reason: expect.stringContaining(reason) })
    expect(performance.now() - begun).toBeLessThan(3_000)
  })

  test('reads no file of 10 GB, no link and no pipe', async () => {
    const { core, write, place, scan, remove } = await withSites()
    core(root)
    truncateSync(write(`${root}/wp-config.php`, ''), 10 * 1024 ** 3)
    expect((await scan())[site]).toMatchObject({ status: 'unhealthy', reason: expect.stringContaining('64 KiB') })
    remove(`${root}/wp-config.php`)
    symlinkSync(write('elsewhere.php', configOf()), place(`${root}/wp-config.php`))
    const linked = (await scan())[site]
    expect(linked).toMatchObject({ status: 'unhealthy', reason: expect.stringContaining('cannot be read') })
    expect(linked).not.toHaveProperty('db')
    truncateSync(place(`${root}/wp-includes/version.php`), 1024 ** 3)
    const large = (await scan())[site]
    expect(large).toMatchObject({ status: 'unhealthy' })
    expect(large).not.toHaveProperty('version')
  })

  test('follows no link out of the home or within it', async () => {
    const { core, write, place, panel, scan } = await withSites()
    core('elsewhere')
    write('elsewhere/wp-config.php', configOf())
    mkdirSync(place(`${root}/core`), { recursive: true })
    symlinkSync(place('elsewhere'), place(`${root}/linked`))
    symlinkSync(`${panel.dir}/host`, place(`${root}/out`))
    symlinkSync(place('elsewhere/wp-includes'), place(`${root}/core/wp-includes`))
    expect(await scan()).toEqual({})
  })

  test('looks four directories deep, and not into WordPress itself', async () => {
    const { wordpress, scan } = await withSites()
    wordpress(`${root}/a/b/c/d`)
    wordpress(`${root}/a/b/c/d/e`)
    wordpress(root)
    wordpress(`${root}/wp-content/backup`)
    wordpress(`${root}/.hidden`)
    expect(Object.keys(await scan()).sort()).toEqual([site, `${site}/a/b/c/d`])
  })

  test('counts a site in the document root of another domain once, as that domain’s', async () => {
    const { wordpress, scan, domain } = await withSites()
    await domain('shop.example', { document_root: `${root}/shop` })
    wordpress(`${root}/shop`)
    expect(Object.keys(await scan())).toEqual(['shop.example'])
  })

  test('keeps the id of a site while domain and path stay, and forgets it 30 days after its files are gone', async () => {
    const { wordpress, place, scan, panel, path } = await withSites()
    wordpress(root)
    const { [site]: first } = await scan()
    renameSync(place(root), place('moved'))
    mkdirSync(place(root))
    expect((await scan())[site]).toMatchObject({ id: first!['id'], status: 'missing' })
    renameSync(place('moved'), place(`${root}/x`))
    renameSync(place(`${root}/x`), place('moved'))
    await panel.clock.leap(29 * day)
    expect((await scan())[site]).toMatchObject({ id: first!['id'], status: 'missing' })
    wordpress(root, configOf(), '6.9')
    expect((await scan())[site]).toMatchObject({ id: first!['id'], status: 'active', version: '6.9' })
    renameSync(place(root), place('moved-again'))
    await scan()
    await panel.clock.leap(31 * day)
    expect(await scan()).toEqual({})
    expect(problem(await panel.get(`${path}/${first!['id']}`))).toEqual([404, 'not-found'])
  })

  test('stores at most 1,000 sites of an account; missing ones make room', async () => {
    const { panel, path, core, scan, place, domain } = await withSites()
    await domain('shop.example', { document_root: 'shop' })
    for (let at = 0; at < 500; at++) core(`${root}/a${at}`)
    for (let at = 0; at < 499; at++) core(`shop/b${at}`)
    await scan()
    const total = async () => (await panel.get(`${path}?per_page=1`)).body.total
    expect(await total()).toBe(999)
    renameSync(place('shop'), place('moved'))
    for (let at = 0; at < 499; at++) core(`shop/c${at}`)
    await scan()
    const { items } = (await panel.get(`${path}?q=shop.example&per_page=499&order=desc`)).body
    expect([await total(), new Set(items.map(({ status }: Json) => status))]).toEqual([1000, new Set(['unhealthy'])])
    for (let at = 0; at < 10; at++) core(`shop/c0/d${at}`)
    await scan()
    expect(await total()).toBe(1000)
  }, 60_000)

  test('writes a directory’s name into an address as a name', async () => {
    const { core, scan } = await withSites()
    core(`${root}/a?b#c d`)
    expect((await scan())['alice.example/a?b#c d']).toMatchObject({ url: 'http://alice.example/a%3Fb%23c%20d' })
  })

  test('finds 200 installations in less than five seconds', async () => {
    const { wordpress, scan } = await withSites()
    for (let at = 0; at < 200; at++) wordpress(`${root}/s${at}`)
    const begun = performance.now()
    expect(Object.keys(await scan())).toHaveLength(200)
    expect(performance.now() - begun).toBeLessThan(5_000)
  })

  test('happens by itself when a document root changes, and once a day', async () => {
    const { panel, wordpress, path, domain, alice } = await withSites()
    const shop = await domain('shop.example', { document_root: 'shop' })
    wordpress('shop')
    wordpress('other', configOf(), '6.7')
    const pending = panel.store.sqlite.prepare('SELECT count(*) FROM wordpress_scans WHERE next_at <= ?').pluck()
    const pass = async (ms: number) => {
      await panel.clock.leap(ms)
      await vi.waitFor(() => expect(pending.get(panel.clock.now())).toBe(0))
      return (await panel.get(path)).body.items.map(({ version }: { version: string }) => version)
    }
    expect(await pass(minute)).toEqual(['6.8.1'])
    expect(await occurred(panel)).toEqual(nothing)
    await panel.patch(`/accounts/${alice.id}/domains/${shop['id']}`, { document_root: 'other' })
    await panel.settle()
    expect(await pass(minute)).toEqual(['6.7'])
    wordpress('other', configOf(), '6.9')
    expect(await pass(day)).toEqual(['6.9'])
  })

  test('happens by itself when files are restored', async () => {
    const { panel, wordpress, remove, scan, path, alice } = await withSites()
    wordpress(`${root}/blog`)
    const { 'alice.example/blog': first } = await scan()
    const { backup } = (await panel.post(`/accounts/${alice.id}/backups`)).body
    await panel.settle()
    remove(`${root}/blog`)
    expect((await scan())['alice.example/blog']).toMatchObject({ status: 'missing' })
    await panel.post(`/accounts/${alice.id}/backups/${backup.id}/restore`, { parts: ['files'], safety: false })
    await panel.settle()
    await panel.clock.leap(minute)
    await vi.waitFor(async () =>
      expect((await panel.get(`${path}/${first!['id']}`)).body).toMatchObject({ status: 'active' }),
    )
  })

  test('is for files alone not enough, nor for mysql alone', async () => {
    const { panel, alice, path, wordpress, scan } = await withSites()
    wordpress(root)
    const { [site]: found } = await scan()
    const account = alice.id
    for (const scope of ['files:write', 'mysql:write']) {
      const token = await panel.token([scope], { account })
      for (const reply of [
        await panel.get(path, { token }),
        await panel.post(`${path}/scan`, {}, { token }),
        await panel.patch(`${path}/${found!['id']}`, { auto_update: 'all' }, { token }),
      ]) {
        expect(problem(reply)).toEqual([403, 'token-scope'])
        expect(reply.body.detail).toMatch(/^This token needs the scopes files:(read|write) and mysql:(read|write)\.$/)
      }
    }
    const token = await panel.token(['files:write', 'mysql:write'], { account })
    expect((await panel.get(path, { token })).body.total).toBe(1)
  })

  test('shows its jobs to tokens that have both areas', async () => {
    const { panel, alice, scan } = await withSites()
    await scan()
    const kinds = async (scopes: string[]) => {
      const token = await panel.token(scopes, { account: alice.id })
      const { items } = (await panel.get(`/accounts/${alice.id}/jobs`, { token })).body
      return items.map(({ kind }: { kind: string }) => kind)
    }
    expect(await kinds(['files:read'])).toEqual([])
    expect(await kinds(['mysql:read'])).toEqual([])
    expect(await kinds(['files:read', 'mysql:read'])).toEqual(['wordpress.scan'])
    expect(await kinds(['account:read'])).toContain('wordpress.scan')
  })
})

describe('the feature wordpress', () => {
  test('is needed for changes, and not for reads', async () => {
    const { panel, path, wordpress, scan } = await withSites()
    wordpress(root)
    const { [site]: found } = await scan()
    const [list] = (await panel.get('/feature-lists')).body.items
    expect(list.features.wordpress).toBe(true)
    await panel.patch(`/feature-lists/${list.id}`, { features: { wordpress: false } })
    expect(problem(await panel.post(`${path}/scan`))).toEqual([403, 'feature-disabled'])
    expect(problem(await panel.patch(`${path}/${found!['id']}`, { auto_update: 'all' }))).toEqual([
      403,
      'feature-disabled',
    ])
    expect((await panel.get(`${path}/${found!['id']}`)).status).toBe(200)
    expect((await panel.get(path)).body.total).toBe(1)
  })
})

test('updateWordpressSettings sets when a site is updated', async () => {
  const { panel, path, wordpress, scan } = await withSites()
  wordpress(root)
  const { [site]: found } = await scan()
  await occurred(panel)
  const at = `${path}/${found!['id']}`
  const window = { day: 2, hour: 3 }
  expect((await panel.patch(at, { auto_update: 'minor', window })).body).toMatchObject({ auto_update: 'minor', window })
  expect((await panel.patch(at, { auto_update: 'security' })).body).toMatchObject({ auto_update: 'security', window })
  expect((await panel.patch(at, { window: null })).body).not.toHaveProperty('window')
  expect((await scan())[site]).toMatchObject({ auto_update: 'security' })
  for (const [body, field] of [
    [{ auto_update: 'some' }, 'auto_update'],
    [{ window: { day: 7, hour: 1 } }, 'window.day'],
    [{ window: { day: 1 } }, 'window.hour'],
  ] as const)
    expect(problem(await panel.patch(at, body))).toEqual([400, 'validation', field])
})

describe('listAllWordpress', () => {
  test('lists sites of all accounts with filters, and a reseller its own', async () => {
    const { panel, wordpress, scan, core } = await withSites()
    wordpress(root)
    core(`${root}/old`, '4.9')
    await scan()
    const list = async (query: string) =>
      (await panel.get(`/wordpress?${query}`)).body.items.map(
        ({ username, path }: { username: string; path: string }) => `${username}${path}`,
      )
    expect(await list('')).toEqual(['alice/', 'alice/old'])
    expect(await list('q=alice.ex')).toHaveLength(2)
    expect(await list('q=bob')).toEqual([])
    expect(await list('version=4.9')).toEqual(['alice/old'])
    expect(await list('status=unhealthy')).toEqual(['alice/old'])
    expect(await list('updates=true')).toEqual([])
    expect(await list('updates=false')).toHaveLength(2)
    expect(await list('owner_id=01K9ZQ5T3M8V4X7C2B6N1D0FGH')).toEqual([])
    expect(problem(await panel.get('/wordpress?status=broken'))).toEqual([400, 'validation', 'status'])
  })
})

test('a hostile version is not answered', async () => {
  const { core, write, scan } = await withSites()
  core(root)
  write(`${root}/wp-config.php`, configOf())
  write(`${root}/wp-includes/version.php`, versionOf('6.8<script>'))
  const { [site]: found } = await scan()
  expect(found).toMatchObject({ status: 'unhealthy', reason: expect.stringContaining('version.php') })
  expect(found).not.toHaveProperty('version')
})
