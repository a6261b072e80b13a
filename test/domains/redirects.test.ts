import { describe, expect, test } from 'vitest'
import { redirects as table } from '../../src/areas/domains/tables.ts'
import { host, nothing, occurred, problem, withAlice } from './fixtures.ts'

const applied = { events: ['job.completed'], jobs: ['domain.update succeeded'] }

async function withRedirects() {
  const input = await withAlice()
  const { id } = await input.domain('shop.example')
  const path = `${input.path}/${id}/redirects`
  const add = (fields: Record<string, unknown>) => input.panel.post(path, { target: 'https://new.example/', ...fields })
  return { ...input, id, redirects: path, add }
}

describe('redirects of a domain', () => {
  test('lists redirects, applies them to the host, and deletes them', async () => {
    const { panel, add, redirects, id } = await withRedirects()
    const made = await add({ path: '/old' })
    expect([made.status, made.body.redirect]).toEqual([
      202,
      {
        id: made.body.redirect.id,
        domain_id: id,
        path: '/old',
        match: 'exact',
        target: 'https://new.example/',
        status: 301,
        keep_path: false,
        created_at: panel.clock.now(),
      },
    ])
    expect(await occurred(panel)).toEqual(applied)
    expect(host(panel).vhost('shop.example')).toContain(
      '  location = /old {\n    return 301 "https://new.example/";\n  }\n',
    )
    expect((await panel.get(redirects)).body.items).toEqual([made.body.redirect])
    expect((await panel.delete(`${redirects}/${made.body.redirect.id}`)).body.redirect).toEqual(made.body.redirect)
    expect((await panel.get(redirects)).body.items).toEqual([])
    expect(await occurred(panel)).toEqual(applied)
    expect(host(panel).vhost('shop.example')).not.toContain('/old')
    expect(problem(await panel.delete(`${redirects}/${made.body.redirect.id}`))).toEqual([404, 'not-found'])
  })

  test('redirects with a prefix what is below it and nothing beside it', async () => {
    const { panel, add } = await withRedirects()
    await add({ path: '/a', match: 'prefix', status: 307 })
    expect(await occurred(panel)).toEqual(applied)
    const places = host(panel)
      .vhost('shop.example')
      .split('\n')
      .filter((line) => line.includes('/a'))
    expect(places).toContain('  location = /a {')
    expect(places).toContain('  location ^~ /a/ {')
    expect(places.join()).not.toContain('^~ /a {')
  })

  test('replaces the site with a redirect of all paths, which may keep the path', async () => {
    const { panel, add } = await withRedirects()
    await Promise.all([
      add({ path: '/', match: 'prefix', keep_path: true, status: 308 }),
      add({ path: '/here', target: 'http://other.example/there?a=1' }),
    ])
    expect(await occurred(panel)).toEqual(applied)
    const conf = host(panel).vhost('shop.example')
    expect(conf).toContain('  location / {\n    return 308 "https://new.example$request_uri";\n  }\n')
    expect(conf).toContain('    return 301 "http://other.example/there?a=1";')
    expect(conf).not.toContain('fastcgi_pass')
    expect(conf).toContain('acme-challenge')
  })

  test.each([
    ['target', { target: 'https://x/$host' }],
    ['target', { target: 'https://x/"; }' }],
    ['target', { target: 'https://x/\r\nSet-Cookie: a' }],
    ['target', { target: "https://x/'" }],
    ['target', { target: 'https://x/ y' }],
    ['target', { target: 'https://x/ü' }],
    ['target', { target: 'https://x/{}' }],
    ['target', { target: 'https://x/\\y' }],
    ['target', { target: 'https://me:secret@x/' }],
    ['target', { target: 'ftp://x/' }],
    ['target', { target: '/new' }],
    ['target', { target: 'javascript:alert(1)' }],
    ['target', { target: 'https:///' }],
    ['target', { target: `https://x/${'a'.repeat(2048)}` }],
    ['target', { target: 'https://shop.example/old' }],
    ['target', { target: 'http://WWW.shop.example./%6fld?x=1' }],
    ['target', { target: 'https://shop.example//old/x', match: 'prefix' }],
    ['target', { path: '/', target: 'https://www.shop.example', match: 'prefix' }],
    ['path', { path: 'old' }],
    ['path', { path: '/a//b' }],
    ['path', { path: '/a/../b' }],
    ['path', { path: '/a/.' }],
    ['path', { path: '/a b' }],
    ['path', { path: '/a;' }],
    ['path', { path: '/a/', match: 'prefix' }],
    ['path', { path: '/.well-known/acme-challenge' }],
    ['path', { path: '/.well-known/acme-challenge/x' }],
    ['path', { path: `/${'a'.repeat(512)}` }],
    ['keep_path', { keep_path: true }],
    ['keep_path', { path: '/', keep_path: true }],
    ['keep_path', { path: '/', match: 'prefix', keep_path: true, target: 'https://x/y' }],
    ['keep_path', { path: '/', match: 'prefix', keep_path: true, target: 'https://x/?y' }],
    ['status', { status: 303 }],
    ['match', { match: 'regex' }],
  ])('refuses redirects with %s of %j', async (field, fields) => {
    const { panel, add } = await withRedirects()
    const reply = await add({ path: '/old', ...fields })
    expect(problem(reply)).toEqual([400, 'validation', field])
    expect(await occurred(panel)).toEqual(nothing)
  })

  test('accepts redirects to elsewhere on the same domain', async () => {
    const { panel, add } = await withRedirects()
    const replies = await Promise.all(
      [
        { path: '/a', target: 'https://shop.example/ab', match: 'prefix' },
        { path: '/b', target: 'https://shop.example/b/x' },
        { path: '/c', target: 'https://shop.example:8443/c' },
        { path: '/d/', target: 'https://shop.example/d' },
      ].map(add),
    )
    expect(replies.map(({ status }) => status)).toEqual([202, 202, 202, 202])
    expect(await occurred(panel)).toEqual(applied)
  })

  test('takes a thousand redirects of all domains of an account', async () => {
    const { panel, id, add, redirects } = await withRedirects()
    const [own] = (await panel.get(redirects.replace(/\/[^/]*\/redirects$/, '?q=alice.example'))).body.items
    const row = { target: 'https://x.example/', match: 'exact', status: 301, keep_path: false, created_at: 0 } as const
    const flags = { applied: true, removed: false }
    await panel.store.change(() => {
      for (let n = 0; n < 998; n++)
        panel.store.db
          .insert(table)
          .values({ ...row, ...flags, id: panel.panel.runtime.id(), domain_id: own.id, path: `/${n}` })
          .run()
    })
    expect((await add({ path: '/a' })).status).toBe(202)
    const { body } = await add({ path: '/b' })
    expect(problem(await add({ path: '/c' }))).toEqual([409, 'limit-reached'])
    await panel.delete(`${redirects}/${body.redirect.id}`)
    expect((await add({ path: '/c' })).status).toBe(202)
    expect(body.redirect.domain_id).toBe(id)
  })

  test('requires redirects to be unique by path and match, at most a hundred', async () => {
    const { panel, add, redirects } = await withRedirects()
    expect((await add({ path: '/old' })).status).toBe(202)
    expect((await add({ path: '/old', match: 'prefix' })).status).toBe(202)
    expect(problem(await add({ path: '/old', target: 'https://x.example/' }))).toEqual([409, 'exists', 'path'])
    await Promise.all(Array.from({ length: 98 }, (_, n) => add({ path: `/${n}` })))
    expect(problem(await add({ path: '/more' }))).toEqual([409, 'too-many'])
    await panel.settle()
    const conf = host(panel).vhost('shop.example')
    expect(conf.match(/location = \/old \{/g)).toHaveLength(1)
    const [first] = (await panel.get(redirects)).body.items
    await panel.delete(`${redirects}/${first.id}`)
    expect((await add({ path: '/old' })).status).toBe(202)
  })

  test('needs the feature to add redirects, but not to read or delete them', async () => {
    const { panel, alice, add, redirects } = await withRedirects()
    const { id } = (await add({ path: '/old' })).body.redirect
    await panel.settle()
    await panel.patch(`/feature-lists/${alice.feature_list_id}`, { features: { redirects: false } })
    expect(problem(await add({ path: '/new' }))).toEqual([403, 'feature-disabled'])
    expect((await panel.get(redirects)).body.items).toHaveLength(1)
    expect((await panel.delete(`${redirects}/${id}`)).status).toBe(202)
  })
})
