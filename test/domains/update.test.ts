import { readdirSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { exhaust, host, nothing, occurred, problem, withAlice } from './fixtures.ts'

const applied = { events: ['job.completed'], jobs: ['domain.update succeeded'] }

describe("change of a domain's site", () => {
  test('shows the change at once, and applies it on the host when its job has run', async () => {
    const { panel, domain, path } = await withAlice()
    const { id } = await domain('shop.example')
    const reply = await panel.patch(`${path}/${id}`, { handler: 'static', document_root: 'sites/new/web' })
    expect([reply.status, reply.body.domain]).toMatchObject([
      202,
      { handler: 'static', document_root: 'sites/new/web', status: 'active' },
    ])
    expect(await occurred(panel)).toEqual(applied)
    const conf = host(panel).vhost('shop.example')
    expect(conf).toContain('root /home/alice/sites/new/web;')
    expect(conf).not.toContain('fastcgi_pass')
    expect(host(panel).has('home/alice/sites/new/web')).toBe(true)
    expect(host(panel).has('home/alice/sites/shop.example/public')).toBe(true)
  })

  test.each(['public_html', 'web/shop.example/htdocs', 'apps/x', `a${'/b'.repeat(7)}`, 'www'])(
    'takes the document root %s in the home',
    async (document_root) => {
      const { panel, domain, path } = await withAlice()
      const { id } = await domain('shop.example')
      expect((await panel.patch(`${path}/${id}`, { document_root })).body.domain.document_root).toBe(document_root)
      expect(await occurred(panel)).toEqual(applied)
      expect(host(panel).vhost('shop.example')).toContain(`root /home/alice/${document_root};`)
      expect(host(panel).has(`home/alice/${document_root}`)).toBe(true)
    },
  )

  test.each(
    ['mail', 'tmp', 'etc', 'logs', 'ssl', 'cgi-bin', 'run']
      .flatMap((name) => [name, `${name}/x`])
      .concat([
        'sites',
        'apps',
        '.ssh',
        'a//b',
        'a/',
        '/a',
        'a/../b',
        'a/.b',
        'a b',
        'a$b',
        'a\nb',
        `a${'/b'.repeat(8)}`,
      ]),
  )('refuses the document root %j', async (document_root) => {
    const { panel, domain, path } = await withAlice()
    const { id } = await domain('shop.example')
    const before = host(panel).vhost('shop.example')
    expect(problem(await panel.patch(`${path}/${id}`, { document_root }))).toEqual([400, 'validation', 'document_root'])
    expect(await occurred(panel)).toEqual(nothing)
    expect(host(panel).vhost('shop.example')).toBe(before)
  })

  test('a document root below a link fails the job, and the former one is back', async () => {
    const { panel, domain, path } = await withAlice()
    const { id } = await domain('shop.example')
    symlinkSync('sites', host(panel).path('home/alice/www'))
    await panel.patch(`${path}/${id}`, { document_root: 'www/shop' })
    await exhaust(panel)
    expect(panel.events()).toEqual(['job.failed'])
    expect((await panel.get(`${path}/${id}`)).body.document_root).toBe('sites/shop.example/public')
    expect(readdirSync(host(panel).path('home/alice/sites'))).not.toContain('shop')
  })

  test('changes the site of the main domain too, and its parked domains follow', async () => {
    const { panel, domain, path, named } = await withAlice()
    const parked = await domain('alice.test', { kind: 'parked' })
    await panel.patch(`${path}/${(await named('alice.example')).id}`, { handler: 'php-front' })
    expect(await occurred(panel)).toEqual(applied)
    expect((await panel.get(`${path}/${parked.id}`)).body.handler).toBe('php-front')
    for (const name of ['alice.example', 'alice.test'])
      expect(host(panel).vhost(name)).toContain('try_files $uri $uri/ /index.php?$args;')
    expect(problem(await panel.patch(`${path}/${parked.id}`, { handler: 'static' }))).toEqual([
      400,
      'validation',
      'handler',
    ])
    expect((await panel.patch(`${path}/${parked.id}`, { https_redirect: true })).body.domain.https_redirect).toBe(true)
  })

  test('runs a job that does nothing for a change of nothing', async () => {
    const { panel, domain, path } = await withAlice()
    const { verification, ...before } = await domain('shop.example')
    await panel.clock.advance(1000)
    const { domain: after } = (await panel.patch(`${path}/${before.id}`, { handler: 'php' })).body
    expect(after).toEqual({ ...before, verification: after.verification })
    expect(await occurred(panel)).toEqual(applied)
  })

  test('merges a change with another in progress', async () => {
    const { panel, domain, path } = await withAlice()
    const { id } = await domain('shop.example')
    const [one, other] = await Promise.all([
      panel.patch(`${path}/${id}`, { handler: 'static' }),
      panel.patch(`${path}/${id}`, { https_redirect: true }),
    ])
    expect(one.body.job_id).toBe(other.body.job_id)
    expect(await occurred(panel)).toEqual(applied)
  })

  test('accepts a change while the domain is created, but not while it is deleted', async () => {
    const { panel, ask, path } = await withAlice()
    const { id } = (await ask('shop.example')).body.domain
    expect((await panel.patch(`${path}/${id}`, { handler: 'static' })).status).toBe(202)
    await panel.delete(`${path}/${id}`)
    expect(problem(await panel.patch(`${path}/${id}`, { handler: 'php' }))).toEqual([409, 'busy'])
    expect(
      problem(await panel.post(`${path}/${id}/redirects`, { path: '/a', target: 'https://new.example/' })),
    ).toEqual([409, 'busy'])
    expect(problem(await ask('a.shop.example'))).toEqual([409, 'busy'])
    await panel.settle()
    expect((await panel.get(path)).body.total).toBe(1)
  })

  test.each([
    [{ document_root: '../bob' }, 'document_root'],
    [{ handler: 'app' }, 'app_id'],
    [{ handler: 'cgi' }, 'handler'],
    [{ name: 'new.example' }, 'name'],
    [{ document_root: null }, 'document_root'],
  ])('refuses a change to %j', async (body, field) => {
    const { panel, path, named } = await withAlice()
    const { id } = await named('alice.example')
    expect(problem(await panel.patch(`${path}/${id}`, body))).toEqual([400, 'validation', field])
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('needs the feature of its kind', async () => {
    const { panel, alice, domain, path, named } = await withAlice()
    const { id } = await domain('shop.example')
    await panel.patch(`/feature-lists/${alice.feature_list_id}`, { features: { addon_domains: false } })
    expect(problem(await panel.patch(`${path}/${id}`, { handler: 'static' }))).toEqual([403, 'feature-disabled'])
    expect((await panel.patch(`${path}/${(await named('alice.example')).id}`, { handler: 'static' })).status).toBe(202)
    expect((await panel.delete(`${path}/${id}`)).status).toBe(202)
  })

  test('reverts a change that fails for good, on the host too', async () => {
    const { panel, domain, path } = await withAlice()
    await panel.account('bob')
    const before = await domain('shop.example')
    const redirects = `${path}/${before.id}/redirects`
    const stored = (await panel.post(redirects, { path: '/kept', target: 'https://new.example/' })).body.redirect
    await panel.settle()
    panel.forget()
    symlinkSync(host(panel).path('home/bob'), host(panel).path('home/alice/sites/out'))
    const bobs = readdirSync(host(panel).path('home/bob'))
    await Promise.all([
      panel.patch(`${path}/${before.id}`, { document_root: 'sites/out/shop', handler: 'static' }),
      panel.post(redirects, { path: '/new', target: 'https://new.example/' }),
      panel.delete(`${redirects}/${stored.id}`),
    ])
    await exhaust(panel)
    expect(await occurred(panel)).toEqual({ events: ['job.failed'], jobs: ['domain.update failed'] })
    expect((await panel.get(`${path}/${before.id}`)).body).toMatchObject({
      document_root: before.document_root,
      handler: 'php',
    })
    expect((await panel.get(redirects)).body.items).toEqual([stored])
    const conf = host(panel).vhost('shop.example')
    expect(conf).toContain('root /home/alice/sites/shop.example/public;')
    expect(conf).toContain('location = /kept {')
    expect(conf).not.toContain('location = /new {')
    expect(readdirSync(host(panel).path('home/bob'))).toEqual(bobs)
  })

  test('keeps a change that follows a failing one', async () => {
    const { panel, domain, path } = await withAlice()
    const { id } = await domain('shop.example')
    symlinkSync('/nowhere', host(panel).path('home/alice/sites/out'))
    const first = (await panel.patch(`${path}/${id}`, { document_root: 'sites/out/shop' })).body.job_id
    for (let attempt = 0; attempt < 2; attempt++) {
      await panel.settle()
      await panel.clock.advance(60_000)
    }
    const { job } = (await panel.get(`/jobs/${first}`)).body
    expect(job.attempts).toBeGreaterThan(1)
    const second = (await panel.patch(`${path}/${id}`, { document_root: 'sites/fine' })).body.job_id
    await exhaust(panel)
    expect((await panel.get(`/jobs/${second}`)).body.job.status).toBe('succeeded')
    expect((await panel.get(`${path}/${id}`)).body.document_root).toBe('sites/fine')
    expect(host(panel).vhost('shop.example')).toContain('root /home/alice/sites/fine;')
  })
})
