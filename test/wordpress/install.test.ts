import { existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { exhaust, nothing, occurred, problem } from '../domains/fixtures.ts'
import type { Json, PanelOptions } from '../harness.ts'
import { hasPhp } from './core.ts'
import { root, withSites } from './fixtures.ts'
import { archiveFiles, sourceDirectory } from './source.ts'

const typed = { title: 'My "Shop" & <b>more</b>', admin_user: 'ed', admin_email: 'ed@alice.example' }

async function withSource(options: PanelOptions = {}) {
  const sites = await withSites({ trustTenants: true, ...options })
  const { panel, alice, path, place } = sites
  const source = sourceDirectory()
  for (const version of ['6.7', '6.8.1', '6.10']) source.archive(`wordpress-${version}.tar.gz`, archiveFiles(version))
  await panel.patch('/settings', { wordpress_source: source.directory })
  const { items } = (await panel.get(`/accounts/${alice.id}/domains`)).body
  const domain_id = items[0].id as string
  await occurred(panel)
  return {
    ...sites,
    source,
    domain_id,
    install: (body: object = {}) => panel.post(path, { domain_id, ...typed, ...body }),
    names: (directory: string): string[] => (existsSync(place(directory)) ? readdirSync(place(directory)).sort() : []),
    databases: async () =>
      (await panel.get(`/accounts/${alice.id}/mysql/databases`)).body.items.map((one: Json) => one.name),
    users: async () => (await panel.get(`/accounts/${alice.id}/mysql/users`)).body.items.map((one: Json) => one.name),
  }
}

const installed = {
  events: [
    'mysql.database.created',
    'mysql.user.created',
    'job.completed',
    'job.completed',
    'job.completed',
    'job.completed',
  ],
  jobs: expect.arrayContaining([
    'mysql.database.create succeeded',
    'mysql.user.create succeeded',
    'wordpress.install succeeded',
    'domain.update succeeded',
  ]),
}

describe.skipIf(!hasPhp)('installWordpress', () => {
  test('makes a site of the newest version, with its database, and answers the password once', async () => {
    const { panel, path, place, install, names, databases, users } = await withSource()
    const { status, body } = await install()
    expect([status, body]).toEqual([
      202,
      {
        site: expect.objectContaining({ domain: 'alice.example', path: '/', status: 'installing' }),
        admin_password: expect.stringMatching(/^[\w-]{20}$/),
        job_id: expect.any(String),
      },
    ])
    expect(await occurred(panel)).toEqual(installed)
    expect((await panel.get(`${path}/${body.site.id}`)).body).toMatchObject({
      ...{ id: body.site.id, status: 'active', version: '6.10', db: 'alice_wp', table_prefix: 'wp_' },
    })
    expect([await databases(), await users()]).toEqual([['alice_wp'], ['alice_wp']])
    const config = readFileSync(place(`${root}/wp-config.php`), 'utf8')
    expect(statSync(place(`${root}/wp-config.php`)).mode & 0o777).toBe(0o600)
    const {
      arguments: passed,
      url,
      database,
      options,
    } = JSON.parse(readFileSync(place(`${root}/installed.json`), 'utf8'))
    expect(passed).toEqual([typed.title, 'ed', typed.admin_email, true, '', body.admin_password, ''])
    expect([url, options]).toEqual([
      'http://alice.example',
      {
        ...{ default_category: 1, permalink_structure: '/%postname%/' },
        ...{ default_comment_status: 'closed', default_ping_status: 'closed' },
      },
    ])
    expect(database).toEqual(['alice_wp', 'alice_wp', expect.stringMatching(/^[\w-]{32}$/)])
    expect(new Set(config.match(/'[\w-]{64}'/g)).size).toBe(8)
    expect(names('.panel/wordpress')).toEqual([])
  })

  test('the domain then answers by the front controller; below a path its handler stays', async () => {
    const { panel, alice, domain_id, install, domain } = await withSource()
    const handlerOf = async (id: string) => (await panel.get(`/accounts/${alice.id}/domains/${id}`)).body.handler
    await install({ path: 'blog/2' })
    await occurred(panel)
    expect(await handlerOf(domain_id)).toBe('php')
    const shop = await domain('shop.example', { handler: 'static' })
    await install({ domain_id: shop.id, path: '/blog' })
    await occurred(panel)
    expect(await handlerOf(shop.id)).toBe('php')
    const { id } = await domain('new.example', { handler: 'static' })
    await install({ domain_id: id })
    await occurred(panel)
    expect(await handlerOf(id)).toBe('php-front')
  })

  test('a site below a path names the script in its addresses, and keeps what is beside it', async () => {
    const { panel, path, place, write, install } = await withSource()
    write(`${root}/page.html`, 'x')
    const { body } = await install({ path: '/blog', version: '6.7', admin_password: `it's a "secret" \\ one` })
    expect(body).not.toHaveProperty('admin_password')
    await occurred(panel)
    expect((await panel.get(`${path}/${body.site.id}`)).body).toMatchObject({ path: '/blog', version: '6.7' })
    const { arguments: passed, url, options } = JSON.parse(readFileSync(place(`${root}/blog/installed.json`), 'utf8'))
    expect([passed[5], url, options.permalink_structure]).toEqual([
      `it\\'s a \\"secret\\" \\\\ one`,
      'http://alice.example/blog',
      '/index.php/%postname%/',
    ])
    expect(readFileSync(place(`${root}/page.html`), 'utf8')).toBe('x')
  })

  test('passwords are sealed, and forgotten once they have been used', async () => {
    const { panel, install } = await withSource()
    const rows = () => panel.store.sqlite.prepare('SELECT settings FROM wordpress_installs').pluck().all()
    const { body } = await install()
    expect(String(rows()[0])).toMatch(/^v2\./)
    await occurred(panel)
    expect(rows()).toEqual([null])
    const dump = JSON.stringify([(await panel.get('/audit')).body, (await panel.get('/jobs')).body])
    expect(dump).not.toContain(body.admin_password)
  })

  test('refuses what is there already, other domains, and input of other forms', async () => {
    const { panel, write, wordpress, scan, install, domain, alice } = await withSource()
    const bob = await panel.account('bob')
    const others = (await panel.get(`/accounts/${bob.id}/domains`)).body.items[0].id
    const parked = await domain('parked.example', { kind: 'parked' })
    await occurred(panel)
    const cases: [object, unknown[]][] = [
      [{ domain_id: others }, [400, 'validation', 'domain_id']],
      [{ domain_id: parked.id }, [400, 'validation', 'domain_id']],
      ...['/../x', '/a/../b', '/.git', 'a//b', '/a/', "/a';", '/a/b/c/d/e', '/a b'].map((path): [object, unknown[]] => [
        { path },
        [400, 'validation', 'path'],
      ]),
      [{ version: '9.9' }, [400, 'validation', 'version']],
      [{ version: '../6.7' }, [400, 'validation', 'version']],
      [{ locale: 'de_DE' }, [400, 'validation', 'locale']],
      [{ locale: '../de' }, [400, 'validation', 'locale']],
      [{ admin_user: "ed'; --" }, [400, 'validation', 'admin_user']],
      [{ title: 'a\nb' }, [400, 'validation', 'title']],
      [{ admin_password: 'short' }, [400, 'validation', 'admin_password']],
      [{ admin_user: 'correct horse', admin_password: 'correct horse' }, [400, 'validation', 'admin_password']],
    ]
    for (const [body, expected] of cases) expect([body, problem(await install(body))]).toEqual([body, expected])
    const below = await domain('below.example', { document_root: `${root}/below` })
    expect(problem(await install({ path: '/below/x' }))).toEqual([400, 'validation', 'path'])
    expect((await install({ domain_id: below.id, path: '/x' })).status).toBe(202)
    await occurred(panel)
    write(`${root}/page/index.html`, 'x')
    const occupied = await install({ path: '/page' })
    expect([problem(occupied), occupied.body.fields.path]).toEqual([
      [409, 'exists', 'path'],
      'has index.html: delete that in Files, or choose another path such as blog',
    ])
    for (const name of ['a.html', 'b.html', 'c.html']) write(`${root}/page/${name}`, 'x')
    expect((await install({ path: '/page' })).body.fields.path).toMatch(/^has \S+, \S+, \S+ and others: delete/)
    wordpress(`${root}/old`)
    await scan()
    expect(problem(await install({ path: '/old' }))).toEqual([409, 'exists', 'path'])
    await panel.patch(`/accounts/${alice.id}`, { max_sql: 1 })
    await occurred(panel)
    expect(problem(await install({ path: '/new' }))).toEqual([409, 'limit-reached', 'max_sql'])
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('says what is wrong with the source', async () => {
    const { panel, source, install } = await withSource()
    for (const [wordpress_source, detail] of [
      [`${source.directory}/none`, 'does not exist'],
      ['/etc/hostname', 'may not read'],
      ['/usr', 'offers no version'],
    ] as const) {
      await panel.patch('/settings', { wordpress_source })
      const reply = await install()
      expect(problem(reply)).toEqual([409, 'not-configured'])
      expect(reply.body.detail).toContain(detail)
    }
    for (const wrong of ['http://a.example', 'relative', '/a\nb', 'https://a b'])
      expect(problem(await panel.patch('/settings', { wordpress_source: wrong }))).toEqual([
        400,
        'validation',
        'wordpress_source',
      ])
    await panel.patch('/settings', { wordpress_source: source.directory })
    source.write('wordpress-6.10.tar.gz.sha256', 'no hash')
    expect(problem(await install({ version: '6.10' }))).toEqual([400, 'validation', 'version'])
    expect(await occurred(panel)).toEqual(nothing)
  })

  const leftNothing = async ({ panel, path, names, databases, users }: Awaited<ReturnType<typeof withSource>>) => {
    await exhaust(panel)
    expect((await panel.get(path)).body.total).toBe(0)
    expect([await databases(), await users()]).toEqual([[], []])
    expect([names(root), names('.panel/wordpress')]).toEqual([[], []])
    expect(panel.events()).toEqual(
      expect.arrayContaining(['job.failed', 'mysql.database.deleted', 'mysql.user.deleted']),
    )
  }

  test.each([
    ['whose archive changed', 'wordpress-6.10.tar.gz', 'checksum'],
    ['whose archive is gone', 'wordpress-6.10.tar.gz.sha256', 'any more'],
  ])('one %s leaves nothing', async (_, file, reason) => {
    const site = await withSource()
    const reply = await site.install()
    site.source.write(file, 'something else')
    await leftNothing(site)
    const { job } = (await site.panel.get(`/jobs/${reply.body.job_id}`)).body
    expect([job.status, job.error]).toEqual(['failed', expect.stringContaining(reason)])
  })

  test.each([
    ['has no WordPress', 'other', {}, /no WordPress in a directory/],
    ['has a core that ends PHP', 'wordpress', { 'wp-load.php': '<?php exit;' }, /ended before/],
    ['ends within its core', 'wordpress', { 'wp-load.php': '<?php none();' }, /undefined function/],
  ] as const)('an archive that %s leaves nothing', async (_, top, changed, reason) => {
    const site = await withSource()
    site.source.archive('wordpress-7.0.tar.gz', { ...archiveFiles('7.0'), ...changed }, top)
    const reply = await site.install()
    await leftNothing(site)
    const { job } = (await site.panel.get(`/jobs/${reply.body.job_id}`)).body
    expect(job.error).toMatch(reason)
  })

  test('one whose WordPress fails leaves nothing, and says why without its passwords', async () => {
    const site = await withSource()
    const reply = await site.install({ title: 'fails', admin_password: 'canary-of-the-administrator' })
    await leftNothing(site)
    const { job } = (await site.panel.get(`/jobs/${reply.body.job_id}`)).body
    expect(job.error).toContain('The database is down.')
    const log = JSON.stringify((await site.panel.get(`/jobs/${reply.body.job_id}`)).body)
    expect(log).not.toContain('canary-of-the-administrator')
  })

  test('files that came meanwhile stay, and the site is not installed', async () => {
    const site = await withSource()
    await site.install()
    site.write(`${root}/index.html`, 'mine')
    await exhaust(site.panel)
    expect(site.names(root)).toEqual(['index.html'])
    expect((await site.panel.get(site.path)).body.total).toBe(0)
    expect([await site.databases(), site.names('.panel/wordpress')]).toEqual([[], []])
  })

  test('a link in place of the directory for unfinished work is not followed', async () => {
    const site = await withSource()
    await site.install()
    site.write('other/keep', 'x')
    site.write('.panel/keep', 'x')
    symlinkSync(site.place('other'), site.place('.panel/wordpress'))
    await exhaust(site.panel)
    expect(site.names('other')).toEqual(['keep'])
  })

  test('deleteWordpress deletes what was made with it, and keeps a database that another uses', async () => {
    const { panel, alice, path, install, databases, users } = await withSource()
    const remove = async ({ id, url }: Json) => {
      await panel.delete(`${path}/${id}?confirm=${encodeURIComponent(url)}`)
      return occurred(panel)
    }
    const first = (await install({ path: '/one' })).body.site
    const second = (await install({ path: '/two' })).body.site
    await occurred(panel)
    expect(await databases()).toEqual(['alice_wp', 'alice_wp2'])
    expect(await remove(first)).toEqual({
      events: ['mysql.database.deleted', 'mysql.user.deleted', 'job.completed', 'job.completed', 'job.completed'],
      jobs: expect.arrayContaining(['wordpress.delete succeeded', 'mysql.database.delete succeeded']),
    })
    expect([await databases(), await users()]).toEqual([['alice_wp2'], ['alice_wp2']])
    const user = (await panel.post(`/accounts/${alice.id}/mysql/users`, { name: 'other', password: 'correct horse' }))
      .body.user
    const [{ id }] = (await panel.get(`/accounts/${alice.id}/mysql/databases`)).body.items
    await panel.put(`/accounts/${alice.id}/mysql/databases/${id}/users/${user.id}`, {})
    await occurred(panel)
    expect(await remove(second)).toEqual({ events: ['job.completed'], jobs: ['wordpress.delete succeeded'] })
    expect(await databases()).toEqual(['alice_wp2'])
  })

  test('needs both scopes and the feature, and not a suspended account', async () => {
    const { panel, alice, path, domain_id, install } = await withSource()
    for (const [scopes, status] of [
      [['files:write'], 403],
      [['mysql:write'], 403],
      [['files:write', 'mysql:write'], 202],
    ] as const) {
      const token = await panel.token([...scopes], { account: alice.id })
      const reply = await panel.post(path, { domain_id, path: '/token', ...typed }, { token })
      expect(reply.status).toBe(status)
    }
    await panel.post(`/accounts/${alice.id}/suspend`, { reason: 'unpaid' })
    await panel.settle()
    expect(problem(await install({ path: '/later' }))).toEqual([409, 'suspended'])
    await panel.post(`/accounts/${alice.id}/unsuspend`)
    const [features] = (await panel.get('/feature-lists')).body.items
    await panel.patch(`/feature-lists/${features.id}`, { features: { wordpress: false } })
    expect(problem(await install({ path: '/later' }))).toEqual([403, 'feature-disabled'])
  })
})
