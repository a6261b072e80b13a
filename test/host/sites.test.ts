import { describe, expect, test } from 'vitest'
import { renderAccount } from '../../src/host/parts/render.ts'
import { account, bench, idOf, type Over, redirect, type Site, server, siteOf } from './helpers.ts'

const withSites = (sites: readonly Site[], over: Over = {}) => account({ ...over, parts: { web: { sites } } })

const conf = (site: Site, over: Over = {}) =>
  renderAccount(withSites([site], over), server, ['web'])
    .get('web')!
    .files.find(({ path }) => path === `etc/panel/nginx/sites/${site.file}.conf`)!.content

const kinds: Record<string, [Partial<Site>, Over?]> = {
  tls: [{ tls: true }],
  'https-redirect': [{ tls: true, httpsRedirect: true }],
  'https-redirect-suspended': [{ tls: true, httpsRedirect: true }, { suspended: true }],
  static: [{ handler: 'static' }],
  'php-front': [{ handler: 'php-front' }],
  'php-release': [{ handler: 'php-front', documentRoot: 'apps/shop/current/public' }],
  'app-socket': [{ handler: 'app', app: { id: idOf(900) } }],
  'app-port': [{ handler: 'app', app: { id: idOf(900), port: 20_001 }, redirects: [redirect('/old')] }],
  off: [{ handler: 'off' }],
  wildcard: [
    { file: '_wildcard.bob.example', names: ['*.bob.example'], documentRoot: 'sites/_wildcard.bob.example/public' },
  ],
  redirects: [
    {
      redirects: [
        redirect('/old', { match: 'prefix', status: 302 }),
        redirect('/old'),
        redirect('/a', { match: 'prefix', target: 'https://new.example/b?c=1' }),
        redirect('/cgi-bin', { match: 'prefix' }),
      ],
    },
  ],
  'https-redirect-redirects': [{ tls: true, httpsRedirect: true, redirects: [redirect('/old')] }],
  'https-redirect-all-redirected': [
    { tls: true, httpsRedirect: true, redirects: [redirect('/', { match: 'prefix', keepPath: true })] },
  ],
  'all-redirected': [{ redirects: [redirect('/', { match: 'prefix', keepPath: true }), redirect('/here')] }],
}

describe('virtual host of a site', () => {
  test.each(Object.entries(kinds))('renders the virtual host %s verbatim', async (name, [site, over]) => {
    await expect(conf(siteOf('shop.example', site), over)).toMatchFileSnapshot(`texts/site-${name}.txt`)
  })
})

describe('directories of sites', () => {
  const made = (sites: readonly Site[]) => {
    const { dirs, files } = renderAccount(withSites(sites), server, ['web']).get('web')!
    return [...dirs.map(({ path }) => path), ...files.filter(({ once }) => once).map(({ path }) => path)]
  }

  test('creates shared directories once, and never inside a release', () => {
    const shared = { documentRoot: 'sites/one' }
    expect(
      made([
        siteOf('a.example', shared),
        siteOf('b.example', shared),
        siteOf('c.example', { documentRoot: 'apps/shop/current/public' }),
        siteOf('d.example', { documentRoot: 'apps/shop/files' }),
      ]),
    ).toEqual(['home/bob/sites', 'home/bob/sites/one', 'home/bob/apps/shop', 'home/bob/apps/shop/files'])
  })
})

describe('sites that could be misread in a file', () => {
  const odd: Record<string, unknown>[] = [
    { file: '../x.example' },
    { file: '*.bob.example' },
    { file: 'x.example;' },
    { names: ['x.example; }'] },
    { names: ['*'] },
    { names: ['a.*.example'] },
    { names: ['a.example', 'b.example', 'c.example'] },
    { handler: 'app' },
    { handler: 'app', app: { id: '../x' } },
    { handler: 'app', app: { id: idOf(1), port: 80 } },
    { documentRoot: 'sites/../../etc' },
    { documentRoot: 'sites/.ssh' },
    { documentRoot: 'mail/x' },
    { documentRoot: 'sites/a b' },
    { documentRoot: 'sites/x;}' },
    { documentRoot: '/etc' },
    { handler: 'lua' },
    { tls: 'yes' },
    { httpsRedirect: 1 },
    { extra: true },
    ...['https://x/$host', 'https://x/"; }', 'https://x/\n', 'https://x/ y', "https://x/'", 'x/y', 'https://x/\\'].map(
      (target) => ({ redirects: [redirect('/old', { target })] }),
    ),
    ...['old', '/a b', '/a;', '/a{', '/ü', ''].map((path) => ({ redirects: [redirect(path)] })),
    { redirects: [{ ...redirect('/old'), status: 303 }] },
    { redirects: [{ ...redirect('/old'), keepPath: 'yes' }] },
    { redirects: [{ ...redirect('/old'), extra: 1 }] },
  ]
  test.each(odd)('refuses the site %j, and writes nothing', async (over) => {
    const { driver, has } = bench()
    const state = withSites([siteOf('shop.example', over as Partial<Site>)])
    await expect(driver.apply({ server, accounts: [state] })).rejects.toThrow(/not valid|does not know/)
    expect(has('etc')).toBe(false)
  })
})
