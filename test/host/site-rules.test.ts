import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SiteRules } from '../../src/host/parts/web/rules-state.ts'
import { account, apply, bench, redirect, type Site, siteOf } from './helpers.ts'
import { nginx, nginxConf, serve } from './nginx.ts'

const name = 'bob.example'

const hashOf = (password: string): string => {
  const salt = Buffer.alloc(16, 7)
  const digest = createHash('sha1').update(password).update(salt).digest()
  return `{SSHA}${Buffer.concat([digest, salt]).toString('base64')}`
}

const fetched = (socketPath: string, path: string, headers: Record<string, string> = {}) =>
  new Promise<{ status: number; headers: Record<string, unknown>; body: string }>((resolve, reject) => {
    const call = request({ socketPath, path, headers: { host: name, ...headers }, agent: false }, async (answer) => {
      let body = ''
      for await (const chunk of answer) body += chunk
      resolve({ status: answer.statusCode!, headers: answer.headers, body })
    })
    call.once('error', reject).end()
  })

/** nginx with one site that has these rules. */
async function served(rules: SiteRules, site: Partial<Site> = {}, files: Record<string, string> = {}) {
  const { driver, root } = bench()
  await apply(driver, account({ parts: { web: { sites: [siteOf(name, { handler: 'static', rules, ...site })] } } }))
  const place = join(root, `home/bob/sites/${name}/public`)
  for (const [path, text] of Object.entries(files)) writeFileSync(join(place, path), text)
  const socket = await serve(root)
  return (path: string, headers?: Record<string, string>) => fetched(socket, path, headers)
}

describe.skipIf(!existsSync(nginx))('rules of a site', () => {
  test('send visitors of the other name on in one step, its redirects first', async () => {
    const get = await served({ canonical: 'name' }, { redirects: [redirect('/old')] })
    const sent = async (path: string, host: string) => {
      const { status, headers } = await get(path, { host })
      return [status, headers['location']]
    }
    expect(await sent('/a?b=1', `www.${name}`)).toEqual([301, `http://${name}/a?b=1`])
    expect(await sent('/old', `www.${name}`)).toEqual([301, 'https://new.example/'])
    expect(await sent('/', name)).toEqual([200, undefined])
  })

  test('send visitors to the www name where that is the canonical one', async () => {
    const get = await served({ canonical: 'www' })
    expect((await get('/x')).headers['location']).toBe(`http://www.${name}/x`)
  })

  test('protect a path and all below it by password, and nothing beside it', async () => {
    const users = [{ name: 'ann', hash: hashOf('canary-Sandpiper-1') }]
    const get = await served({
      access: [
        { path: '/private.d', allow: [], deny: [], users },
        { path: '/.well-known', allow: [], deny: [], users },
      ],
    })
    const status = async (path: string, credentials = '') =>
      (await get(path, { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` })).status
    expect(await status('/private.d/x')).toBe(401)
    expect(await status('/private.d')).toBe(401)
    expect(await status('//private.d/../private%2Ed/x')).toBe(401)
    expect(await status('/private.d/x', 'ann:wrong')).toBe(401)
    expect(await status('/private.d/x', `ann:${'x'.repeat(4000)}`)).toBe(401)
    expect(await status('/private.d/x', 'ann:canary-Sandpiper-1')).toBe(404)
    expect(await status('/privateXd/x')).toBe(404)
    expect(await status('/.well-known/acme-challenge/none')).toBe(404)
    expect(await status('/.well-known/security.txt')).toBe(401)
  })

  test('let in by the address that trusted proxies name: deny wins, a list of allowed ones excludes the rest', async () => {
    const rule = { path: '/', allow: ['192.0.2.0/24', '2001:db8::/32'], deny: ['192.0.2.7'], users: [] }
    const get = await served({ access: [rule], realIp: ['198.51.100.0/24'] })
    // The test's socket has no address, so that no proxy is trusted.
    expect((await get('/', { 'x-forwarded-for': '192.0.2.8' })).status).toBe(403)
    expect((await get('/.well-known/acme-challenge/none')).status).toBe(404)
  })

  const errorPages = [{ status: '404', path: '/gone.html' }] as const
  const gone = { 'gone.html': 'not here' }

  test('show the site’s own pages for errors', async () => {
    const get = await served({ errorPages }, {}, gone)
    expect(await get('/none')).toMatchObject({ status: 404, body: 'not here' })
  })

  test('show them without asking an app', async () => {
    const get = await served({ errorPages }, { handler: 'off' }, gone)
    expect((await get('/gone.html')).body).toBe('not here')
  })

  test('keep files from other sites, and let them be cached', async () => {
    const hotlink = { extensions: ['txt'], allow: ['friend.example', '*.friend.example'] }
    const get = await served({ hotlink, staticCacheDays: 7, securityHeaders: true }, {}, { 'a.txt': 'a', 'a.css': 'b' })
    const status = async (referer?: string) => (await get('/a.txt', referer ? { referer } : {})).status
    expect(await status()).toBe(200)
    expect(await status(`https://${name}/page`)).toBe(200)
    expect(await status('https://www.friend.example/')).toBe(200)
    expect(await status('https://foreign.example/')).toBe(403)
    expect((await get('/a.css', { referer: 'https://foreign.example/' })).status).toBe(200)
    const { headers } = await get('/a.css')
    expect(headers).toMatchObject({
      'cache-control': 'max-age=604800',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'strict-origin-when-cross-origin',
      server: 'nginx',
    })
    expect(headers).not.toHaveProperty('strict-transport-security')
    expect((await get('/a.txt')).headers).not.toHaveProperty('cache-control')
  })

  test('include directives, which cannot close the server block', async () => {
    const get = await served({ include: 'location = /status {\n  return 204;\n}' })
    expect((await get('/status')).status).toBe(204)
    const { driver, root } = bench()
    const rules = { include: '}\nserver {\n' }
    await apply(driver, account({ parts: { web: { sites: [siteOf(name, { handler: 'static', rules })] } } }))
    const { status, stderr } = spawnSync(nginx, ['-t', '-c', nginxConf(root).conf, '-e', 'stderr'], {
      encoding: 'utf8',
    })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/unexpected "}" in .*include\/bob\.example\.conf:2/)])
  })
})

describe.skipIf(!existsSync(nginx))('a site without an index', () => {
  test.each(['static', 'php', 'php-front'] as const)('shows the welcome page with the handler %s', async (handler) => {
    const get = await served({ securityHeaders: true }, { handler })
    const { status, body, headers } = await get('/')
    expect([status, body]).toEqual([200, expect.stringContaining('This site has just been set up.')])
    expect(headers).toMatchObject({ 'content-type': 'text/html', 'x-content-type-options': 'nosniff' })
    expect((await get('/?a=b')).status).toBe(200)
    expect((await get('/.panel-welcome')).status).toBe(404)
  })

  test('shows its own index where there is one', async () => {
    const get = await served({}, {}, { 'index.html': 'mine' })
    expect(await get('/')).toMatchObject({ status: 200, body: 'mine' })
  })

  test('sends visitors on where its root is redirected', async () => {
    const get = await served({}, { redirects: [redirect('/')] })
    expect((await get('/')).status).toBe(301)
  })
})

test.each<[string, SiteRules]>([
  ['path', { errorPages: [{ status: '404', path: '/a";}' }] }],
  ['hash', { access: [{ path: '/', allow: [], deny: [], users: [{ name: 'a', hash: '{SSHA}\nroot' }] }] }],
  ['network', { realIp: ['192.0.2.0/24;include'] }],
  ['network', { access: [{ path: '/', allow: ['192.0.2.0/33'], deny: [], users: [] }] }],
  ['extension', { hotlink: { extensions: ['a|b'], allow: [] } }],
  ['allow', { hotlink: { extensions: ['jpg'], allow: ['a.example }'] } }],
])('the host refuses a %s that could be misinterpreted', async (_, rules) => {
  const { driver } = bench()
  const state = account({ parts: { web: { sites: [siteOf(name, { rules })] } } })
  await expect(apply(driver, state)).rejects.toThrow('is not valid; nothing was written to the host.')
})
