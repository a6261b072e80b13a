import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { hostsOf } from '../../src/areas/domains/hosts.ts'
import { day, hour, minute } from '../../src/shared/time.ts'
import { host, nothing, occurred, problem, withAlice } from './fixtures.ts'

const permalinks = `# BEGIN WordPress
<IfModule mod_rewrite.c>
RewriteEngine On
RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]
RewriteBase /
RewriteRule ^index\\.php$ - [L]
RewriteCond %{REQUEST_FILENAME} !-f
RewriteCond %{REQUEST_FILENAME} !-d
RewriteRule . /index.php [L]
</IfModule>
# END WordPress
`

async function withSite(fields: Record<string, unknown> = {}) {
  const input = await withAlice()
  const domain = await input.domain('shop.example', { document_root: 'public_html', ...fields })
  const write = (path: string, text: string | Buffer) => {
    const file = host(input.panel).path(`home/alice/${path}`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }
  const at = `${input.path}/${domain['id']}`
  const check = async () => (await input.panel.get(`${at}/htaccess`)).body
  return { ...input, at, write, check }
}

const root = 'public_html/.htaccess'

describe('checkHtaccess', () => {
  test('lists the directives of all files that count for the site, access rules first, without values', async () => {
    const { write, check, panel } = await withSite({ handler: 'php' })
    write('.htaccess', 'Options -Indexes\n')
    write(root, '# one\nRewriteEngine on\nRewriteRule ^secret - [F,L]\nRedirect /a /b\nHeader set X y\n')
    write(
      'public_html/a/b/.htaccess',
      'php_value upload_max_filesize 48M\r\n<Files "x">\r\n  deny  from all\r\n</Files>\r\n',
    )
    write('other/.htaccess', 'Deny from all\n')
    panel.forget()
    const one = (file: string, line: number, directive: string, kind: string) => ({
      ...{ file, line, directive, kind },
      obeyed: false,
    })
    expect(await check()).toEqual({
      items: [
        one(root, 3, 'RewriteRule', 'access'),
        one('public_html/a/b/.htaccess', 3, 'Deny', 'access'),
        one('.htaccess', 1, 'Options', 'other'),
        one(root, 2, 'RewriteEngine', 'rewrite'),
        one(root, 4, 'Redirect', 'redirect'),
        one(root, 5, 'Header', 'header'),
        one('public_html/a/b/.htaccess', 1, 'php_value', 'php'),
      ],
      more: false,
    })
    expect(await occurred(panel)).toEqual(nothing)
  })

  test("obeys WordPress's own permalinks where php-front answers, and nothing else", async () => {
    const { write, check, at, panel } = await withSite({ handler: 'php-front' })
    write(root, `${permalinks}Deny from all\n`)
    write(
      'public_html/blog/.htaccess',
      permalinks.replaceAll(' /', ' /blog/').replace('. /blog/index', '. /blog/index'),
    )
    const { items } = await check()
    expect(items.filter(({ obeyed }: { obeyed: boolean }) => obeyed)).toEqual(
      [3, 4, 5, 6, 7, 8, 9].map((line) => expect.objectContaining({ file: root, line, kind: 'rewrite' })),
    )
    expect(items[0]).toEqual({ file: root, line: 12, directive: 'Deny', kind: 'access', obeyed: false })
    expect(items).toHaveLength(15)
    await panel.patch(at, { handler: 'php' })
    expect((await check()).items.some(({ obeyed }: { obeyed: boolean }) => obeyed)).toBe(false)
  })

  test('says that there is more where files are too large, too deep or behind a link', async () => {
    const { write, check } = await withSite()
    expect(await check()).toEqual({ items: [], more: false })
    const large = write('public_html/large/.htaccess', 'x'.repeat(64 * 1024 + 1))
    expect(await check()).toEqual({ items: [], more: true })
    rmSync(large)
    const deep = `public_html/${'d/'.repeat(12)}`
    write(`${deep}.htaccess`, 'Deny from all\n')
    expect(await check()).toMatchObject({ items: [{ file: `${deep}.htaccess`, line: 1 }], more: false })
    write(`${deep}d/.htaccess`, 'Deny from all\n')
    expect(await check()).toMatchObject({ items: [{ line: 1 }], more: true })
  })

  test('follows no link', async () => {
    const { write, check, panel } = await withSite({ document_root: 'linked/site' })
    write('elsewhere/site/.htaccess', 'Deny from all\n')
    rmSync(host(panel).path('home/alice/linked'), { recursive: true })
    symlinkSync('elsewhere', host(panel).path('home/alice/linked'))
    expect(await check()).toEqual({ items: [], more: true })
  })

  test('is for a parked domain the check of its parent, and refuses others', async () => {
    const { write, panel, path, domain } = await withSite()
    const parked = await domain('shop.test', { kind: 'parked' })
    write('sites/alice.example/public/.htaccess', 'Require all denied\n')
    expect((await panel.get(`${path}/${parked['id']}/htaccess`)).body.items).toMatchObject([{ directive: 'Require' }])
    expect(problem(await panel.get(`${path}/01K9ZQ5T3M8V4X7C2B6N1D0FGH/htaccess`))).toEqual([404, 'not-found'])
  })

  test('stays within its answer, and loses no access rule to others', async () => {
    const { write, check } = await withSite()
    write(root, `${'A\n'.repeat(30_000)}Deny from all\n`)
    const { items, more } = await check()
    expect([items.length, more]).toEqual([1001, true])
    expect(items[0]).toMatchObject({ directive: 'Deny', line: 30_001 })
  })
})

describe('the notice htaccess-ignored', () => {
  async function withChecks(fields: Record<string, unknown>) {
    const site = await withSite(fields)
    const { panel } = site
    const pending = panel.store.sqlite.prepare('SELECT count(*) FROM htaccess_checks WHERE next_at <= ?').pluck()
    /** Lets time pass, and the checks that are due then. */
    const pass = async (ms: number) => {
      await panel.settle()
      await panel.clock.leap(ms)
      await vi.waitFor(() => expect(pending.get(panel.clock.now())).toBe(0))
      return (await panel.get('/notices?kind=htaccess-ignored')).body.items
    }
    return { ...site, pass, patch: (body: object) => panel.patch(site.at, body) }
  }

  test('comes when root or handler changes, and within a day of the file', async () => {
    const { write, pass, patch } = await withChecks({ handler: 'php' })
    expect(await pass(minute)).toEqual([])
    write(root, 'RewriteEngine on\n')
    write('public_html/backups/.htaccess', 'Order deny,allow\nDeny from all\n')
    expect(await pass(hour)).toEqual([])
    const [notice] = await pass(day)
    expect(notice).toMatchObject({ kind: 'htaccess-ignored', severity: 'warn', object: 'domain', name: 'shop.example' })
    await patch({ document_root: 'public_html/images' })
    expect(await pass(minute)).toEqual([])
    await patch({ document_root: 'public_html' })
    const [again] = await pass(minute)
    expect(again).toMatchObject({ name: 'shop.example' })
    await patch({ handler: 'static' })
    expect(await pass(minute)).toEqual([again])
  })

  test('needs nothing for permalinks, and goes with the rules', async () => {
    const { write, pass, patch } = await withChecks({ handler: 'php-front' })
    write(root, permalinks)
    expect(await pass(minute)).toEqual([])
    write(root, 'AuthType Basic\n')
    expect(await pass(day)).toHaveLength(1)
    write(root, '')
    expect(await pass(hour)).toHaveLength(1)
    await patch({ handler: 'php' })
    expect(await pass(minute)).toEqual([])
  })

  test('is not for suspended accounts, whose sites show nothing', async () => {
    const { write, pass, panel, alice } = await withChecks({ handler: 'php' })
    await pass(minute)
    write(root, 'Deny from all\n')
    await panel.post(`/accounts/${alice.id}/suspend`, {})
    await panel.settle()
    await panel.clock.leap(day)
    await panel.settle()
    expect((await panel.get('/notices?kind=htaccess-ignored')).body.items).toEqual([])
    await panel.post(`/accounts/${alice.id}/unsuspend`, {})
    expect(await pass(minute)).toHaveLength(1)
  })
})

describe('the handler apache', () => {
  test('is chosen with a domain and later, and passes settings of PHP on to it', async () => {
    const { write, at, panel, ask } = await withSite({ handler: 'apache' })
    expect((await panel.get(at)).body.handler).toBe('apache')
    expect((await ask('second.example', { handler: 'apache' })).body.domain.handler).toBe('apache')
    await panel.settle()
    expect(host(panel).has('etc/panel/apache/alice/sites.conf')).toBe(true)
    write('public_html/.user.ini', 'memory_limit = 99M\n')
    write(
      root,
      'php_value upload_max_filesize 48M\nphp_flag display_errors on\nphp_admin_value x 1\nphp_value a "b\\"c"\n',
    )
    write('public_html/deep/.htaccess', 'php_value max_execution_time 90\n')
    await panel.patch(at, { handler: 'php' })
    await panel.settle()
    panel.forget()
    await panel.patch(at, { handler: 'apache' })
    expect(await occurred(panel)).toEqual({ events: ['job.completed'], jobs: ['domain.update succeeded'] })
    const ini = (path: string) => host(panel).path(`home/alice/public_html/${path}.user.ini`)
    expect(readFileSync(ini(''), 'utf8')).toBe(
      'memory_limit = 99M\n; BEGIN panel: php_value and php_flag of .htaccess\nupload_max_filesize = "48M"\ndisplay_errors = "1"\na = "b\\"c"\n; END panel\n',
    )
    expect(existsSync(ini('deep/'))).toBe(true)
    await panel.patch(at, { handler: 'php' })
    await panel.settle()
    expect(readFileSync(ini(''), 'utf8')).toBe('memory_limit = 99M\n')
    expect(existsSync(ini('deep/'))).toBe(false)
  })

  test('is refused where the host was set up without Apache, and changes nothing', async () => {
    const { panel, at, ask } = await withSite()
    const { driverOf } = hostsOf(panel.panel.runtime)
    const local = driverOf.call(hostsOf(panel.panel.runtime), 'local')
    vi.spyOn(local, 'offers').mockReturnValue(false)
    expect(problem(await panel.patch(at, { handler: 'apache' }))).toEqual([409, 'not-configured', 'handler'])
    expect(problem(await ask('second.example', { handler: 'apache' }))).toEqual([409, 'not-configured', 'handler'])
    await panel.patch('/settings', { default_handler: 'apache' })
    expect((await ask('second.example')).body.domain.handler).toBe('php')
    expect((await panel.get(at)).body.handler).toBe('php')
  })

  test('is the default of new domains where a Debian host has Apache', async () => {
    const { panel, ask } = await withSite()
    const { driverOf } = hostsOf(panel.panel.runtime)
    const local = driverOf.call(hostsOf(panel.panel.runtime), 'local')
    vi.spyOn(local, 'kind', 'get').mockReturnValue('debian')
    const offers = vi.spyOn(local, 'offers')
    const cases: [boolean | undefined, string][] = [
      [true, 'apache'],
      [false, 'php'],
      [undefined, 'php'],
    ]
    for (const [offered, handler] of cases) {
      offers.mockReturnValue(offered)
      expect((await panel.get('/settings')).body.default_handler).toBe(handler)
      expect((await ask(`${handler}${offered}.example`)).body.domain.handler).toBe(handler)
    }
    offers.mockReturnValue(true)
    await panel.patch('/settings', { default_handler: 'php' })
    expect((await ask('chosen.example')).body.domain.handler).toBe('php')
  })

  test('can be the default of new domains', async () => {
    const { panel, ask } = await withSite()
    await panel.patch('/settings', { default_handler: 'apache' })
    expect((await ask('second.example')).body.domain.handler).toBe('apache')
  })

  test('obeys what Apache knows, and has a notice for access rules that it does not', async () => {
    const { write, check } = await withSite({ handler: 'apache' })
    write(root, 'Deny from all\nAuthLDAPUrl ldap://x\nRewriteEngine on\n')
    expect((await check()).items.map((one: { obeyed: boolean }) => one.obeyed)).toEqual([true, false, true])
  })
})
