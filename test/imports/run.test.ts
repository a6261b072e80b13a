import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { hostsOf } from '../../src/areas/domains/hosts.ts'
import { placeImport } from '../../src/host/imports/unpack.ts'
import type { Json, TestPanel } from '../harness.ts'
import { Browser } from '../sessions/browser.ts'
import { certificate } from '../ssl/openssl.ts'
import { below, cpmove, crypt, type Entry, filesOf, gzipped, wordpress } from './archives.ts'
import { imported, panelWith, reportOf } from './panel.ts'

const hostOf = (panel: TestPanel): string => join(panel.dir, 'host')
const hostText = (panel: TestPanel, path: string): string => readFileSync(join(hostOf(panel), path), 'utf8')

const small = (more: readonly Entry[] = []): Buffer =>
  gzipped(
    below('cpmove-carol', [
      ...filesOf({
        'cp/carol': 'DNS=carol.example\nUSER=carol\nSUSPENDED=1\nPLAN=default\n',
        'suspended/carol': 'unpaid\n',
        shadow: `!!${crypt('carol secret 1')}\n`,
        'homedir/public_html/index.html': 'carol\n',
        'homedir/etc/carol.example/passwd': 'box:x:1:1::/home/carol/mail/carol.example/box:/bin/false\n',
        'homedir/etc/carol.example/shadow': `box:${crypt('box secret 1')}:20000::::::\n`,
      }),
      ...more,
    ]),
  )

test('an archive becomes an account that is complete, and not active until it is activated', async () => {
  const { panel, path } = await panelWith({ 'alice.tar.gz': cpmove() })
  const one = await imported(panel, { path: path('alice.tar.gz') })
  expect(one.error).toBeUndefined()
  expect(one).toMatchObject({ status: 'imported', username: 'alice', counts: { conflicts: 0 } })
  expect(one.steps.map(({ step, status }: Json) => [step, status])).toEqual(
    ['inspect', 'unpack', 'judge', 'account', 'mysql', 'mail', 'settle', 'check'].map((step) => [step, 'succeeded']),
  )
  const id = one.account_id
  const at = `/accounts/${id}`
  expect((await panel.get(at)).body).toMatchObject({
    status: 'importing',
    username: 'alice',
    main_domain: 'alice.example',
    contact_email: 'owner@elsewhere.example',
    disk_quota_mb: 1024,
    max_email: 20,
    locale: 'de',
  })
  const events = (await panel.get('/events?type=account.created')).body.items
  expect(events.map(({ data }: Json) => data.details)).toEqual([
    expect.objectContaining({ import_id: one.id, from: 'cpanel' }),
  ])
  expect(panel.events().filter((type) => !type.startsWith('job.'))).toEqual(['account.created'])
  const kinds = (await panel.get('/jobs?per_page=200')).body.items.map(({ kind }: Json) => kind)
  for (const step of ['inspect', 'unpack', 'account', 'mysql', 'mail', 'settle', 'check'])
    expect(kinds.filter((kind: string) => kind === `import.${step}`)).toHaveLength(1)
  expect(kinds).not.toContain('account.create')
  const home = join(hostOf(panel), 'home/alice')
  expect(statSync(join(home, 'public_html/hard.html')).ino).toBe(statSync(join(home, 'public_html/static.html')).ino)
  expect(readdirSync(join(home, 'public_html'), { encoding: 'latin1' })).toContain('caf\xe9.txt')
  expect(statSync(join(home, 'public_html/index.php')).mtimeMs).toBe(Date.parse('2026-03-01T10:00:00Z'))
  expect(statSync(join(home, 'public_html')).mode & 0o777).toBe(0o755)
  expect(existsSync(join(home, 'secrets'))).toBe(false)
  expect(existsSync(join(home, '.panel-import'))).toBe(false)
  expect(readdirSync(join(hostOf(panel), 'home')).filter((name) => name.startsWith('.import-'))).toEqual([])
  expect(readlinkSync(join(home, 'pages'))).toBe('public_html')
  const box = join(home, 'mail/alice.example/info/Maildir')
  expect(readFileSync(join(box, 'dovecot-uidlist'), 'utf8')).toContain('V1700000000')
  expect(existsSync(join(box, 'dovecot.index'))).toBe(false)
  expect(lstatSync(join(home, 'mail/alice.example/alice/Maildir/cur/1700000000.M1P1.old,S=12:2,S')).isFile()).toBe(true)
  const names = async (of: string, field: string) =>
    (await panel.get(`${at}/${of}`)).body.items.map((item: Json) => item[field]).sort()
  expect(await names('domains', 'name')).toEqual(['alice.example', 'alice.test', 'blog.alice.example', 'shop.example'])
  expect(await names('email/accounts', 'address')).toEqual(
    ['alice', 'empty', 'info2', 'info', 'locked', 'old'].map((name) => `${name}@alice.example`),
  )
  expect(await names('mysql/databases', 'name')).toEqual(['alice_stats', 'alice_wp'])
  expect(await names('mysql/users', 'name')).toEqual(['alice_app', 'alice_main', 'alice_ro'])
  expect(await names('ftp/accounts', 'login')).toEqual(['alice@alice.example', 'deploy@alice.example'])
  expect(await names('cron/jobs', 'schedule')).toHaveLength(3)
  const domains = (await panel.get(`${at}/domains?per_page=50`)).body.items
  const root = (name: string) => domains.find((item: Json) => item.name === name)
  expect(root('alice.example')).toMatchObject({
    document_root: 'public_html',
    handler: 'apache',
    php_version: '8.2',
  })
  expect(root('blog.alice.example')).toMatchObject({ document_root: 'public_html/blog', kind: 'sub', handler: 'php' })
  expect(root('shop.example')).toMatchObject({ document_root: 'shop.example', kind: 'addon', php_version: '8.1' })
  const zones = (await panel.get(`${at}/dns/zones`)).body.items
  const zone = zones.find(({ name }: Json) => name === 'alice.example')
  const records = (await panel.get(`${at}/dns/zones/${zone.id}/records?per_page=200`)).body.items
  expect(records).toContainEqual(expect.objectContaining({ name: 'crm', type: 'A', value: '203.0.113.50' }))
  expect(records.filter(({ name }: Json) => /cpanel|whm|webdisk/.test(name))).toEqual([])
  expect(hostText(panel, 'etc/panel/db.d/alice_wp.dump.sql')).toContain('INSERT INTO `posts`')
  const passwd = hostText(panel, 'etc/panel/mail/passwd.d/alice.example')
  expect(passwd).toContain(`info:${crypt('info secret 1')}:`)
  expect(passwd).toContain('old:{CRYPT}$1$abcdefgh$')
  expect(passwd).toContain('locked:!:')
  expect(existsSync(join(hostOf(panel), 'etc/panel/ftp/passwd.d/alice'))).toBe(true)
  expect(hostText(panel, 'etc/panel/ftp/passwd.d/alice')).not.toContain('deploy@')
  expect(existsSync(join(hostOf(panel), 'etc/panel/mail/domains.d/alice'))).toBe(false)
  expect(hostText(panel, 'etc/panel/mail/nosubmit.d/alice')).toContain('alice importing')

  const again = await panel.post(`/imports/${one.id}/run`, {})
  expect(again.status).toBe(202)
  await panel.settle()
  expect((await panel.get(`/imports/${one.id}`)).body.status).toBe('imported')

  const activated = await panel.post(`/imports/${one.id}/activate`)
  expect(activated.status, JSON.stringify(activated.body)).toBe(202)
  await panel.settle()
  expect((await panel.get(`/imports/${one.id}`)).body).toMatchObject({
    status: 'active',
    activated_at: expect.any(Number),
  })
  expect((await panel.get(at)).body.status).toBe('active')
  expect(hostText(panel, 'etc/panel/ftp/passwd.d/alice')).toContain(`deploy@alice.example:${crypt('deploy secret 1')}`)
  expect(hostText(panel, 'etc/panel/mail/domains.d/alice')).toContain('alice.example')
  expect(existsSync(join(hostOf(panel), 'etc/panel/mail/nosubmit.d/alice'))).toBe(false)
  expect((await panel.post(`/imports/${one.id}/run`, {})).body.type).toMatch(/in-use$/)
  expect((await panel.delete(`/imports/${one.id}`)).body.type).toMatch(/in-use$/)
  expect((await panel.delete(`/imports/${one.id}?forget=true`)).status).toBe(202)
  await panel.settle()
  expect((await panel.get(`/imports/${one.id}`)).status).toBe(404)
  expect((await panel.get(at)).body.status).toBe('active')
})

test('a home that another change made before the files were placed does not replace them', async () => {
  const homes = mkdtempSync(join(tmpdir(), 'panel-homes-'))
  const [staged, home] = [join(homes, '.import-1'), join(homes, 'alice')]
  for (const dir of [join(staged, 'home/public_html'), join(staged, 'made/old'), join(home, 'public_html')])
    mkdirSync(dir, { recursive: true })
  writeFileSync(join(staged, 'home/public_html/index.html'), 'imported')
  expect(await placeImport(homes, '1', 'alice')).toEqual({ placed: true })
  expect(readFileSync(join(home, 'public_html/index.html'), 'utf8')).toBe('imported')
  expect(readdirSync(homes)).toEqual(['alice'])
  expect(await placeImport(homes, '1', 'alice')).toEqual({ placed: true })
  mkdirSync(staged)
  expect(await placeImport(homes, '1', 'alice')).toEqual({ placed: true })
  expect(readFileSync(join(home, 'public_html/index.html'), 'utf8')).toBe('imported')
  rmSync(home, { recursive: true })
  expect(await placeImport(homes, '1', 'alice')).toEqual({ placed: false })
  rmSync(homes, { recursive: true })
})

test('an account that was suspended becomes suspended when it is activated', async () => {
  const { panel, path } = await panelWith({ 'carol.tar.gz': small() })
  const one = await imported(panel, { path: path('carol.tar.gz') })
  expect(one.status).toBe('imported')
  expect((await panel.post(`/imports/${one.id}/activate`)).status).toBe(202)
  await panel.settle()
  const account = (await panel.get(`/accounts/${one.account_id}`)).body
  expect(account).toMatchObject({ status: 'suspended', suspend_reason: 'unpaid' })
  expect(panel.events()).toContain('account.suspended')
  const again = await panel.post(`/imports/${one.id}/activate`)
  expect(again.status).toBe(202)
  await panel.settle()
  expect((await panel.get(`/jobs/${again.body.job_id}`)).body.job.status).toBe('succeeded')
})

test('removing an import that is not active removes the account, and leaves nothing', async () => {
  const { panel, path } = await panelWith({ 'carol.tar.gz': small() })
  const one = await imported(panel, { path: path('carol.tar.gz') })
  const wrong = await panel.delete(`/imports/${one.id}`)
  expect([wrong.status, Object.keys(wrong.body.fields)]).toEqual([400, ['confirm']])
  expect((await panel.delete(`/imports/${one.id}?confirm=carol`)).status).toBe(202)
  await panel.settle()
  expect((await panel.get(`/imports/${one.id}`)).status).toBe(404)
  expect((await panel.get(`/accounts/${one.account_id}`)).status).toBe(404)
  expect(panel.events()).toContain('account.terminated')
  const homes = join(hostOf(panel), 'home')
  expect(readdirSync(homes)).toEqual(['.panel-trash'])
  expect(readdirSync(join(homes, '.panel-trash'))).toEqual([])
  const again = await imported(panel, { path: path('carol.tar.gz') })
  expect(again.status).toBe('imported')
})

test("an archive that grew after its inspection is stopped at the package's quota, and nothing is left", async () => {
  const { panel, path } = await panelWith({ 'carol.tar.gz': small() })
  const packages = (await panel.get('/packages')).body.items
  const { id } = packages.find(({ name }: Json) => name === 'default')
  const quota = (disk_quota_mb: number) => panel.patch(`/packages/${id}`, { disk_quota_mb })
  expect((await quota(1)).status).toBe(200)
  const one = (await panel.post('/imports', { path: path('carol.tar.gz') })).body.import
  await panel.settle()
  const large = filesOf({ 'homedir/public_html/large.bin': '0'.repeat(1.5 * 1024 * 1024) })
  writeFileSync(path('carol.tar.gz'), small(large))
  await panel.post(`/imports/${one.id}/run`, {})
  await panel.settle()
  const failed = (await panel.get(`/imports/${one.id}`)).body
  expect([failed.status, failed.account_id]).toEqual(['failed', undefined])
  expect(failed.error).toBe('The disk quota is used up.')
  expect((await panel.get('/accounts?q=carol')).body.total).toBe(0)
  expect(readdirSync(join(hostOf(panel), 'home')).filter((name) => name !== '.panel-trash')).toEqual([])
  await quota(2)
  await panel.post(`/imports/${one.id}/run`, {})
  await panel.settle()
  expect((await panel.get(`/imports/${one.id}`)).body).toMatchObject({ status: 'imported' })
  expect(statSync(join(hostOf(panel), 'home/carol/public_html/large.bin')).size).toBe(1.5 * 1024 * 1024)
})

test('dumps have room beside a quota that the files fill', async () => {
  const rows = `INSERT INTO \`t\` VALUES ${Array.from({ length: 40 }, () => `('${'x'.repeat(20_000)}')`).join()};\n`
  const more = filesOf({
    'homedir/public_html/large.bin': '0'.repeat(900 * 1024),
    'mysql/carol_wp.sql': `CREATE TABLE \`t\` (\`a\` text);\n${rows}`,
  })
  const { panel, path } = await panelWith({ 'carol.tar.gz': small(more) })
  const [{ id }] = (await panel.get('/packages?q=default')).body.items
  await panel.patch(`/packages/${id}`, { disk_quota_mb: 1 })
  const one = await imported(panel, { path: path('carol.tar.gz') })
  expect(one.error).toBeUndefined()
  expect(one.status).toBe('imported')
  expect((await panel.get(`/accounts/${one.account_id}/mysql/databases`)).body.total).toBe(1)
})

test('a certificate of an automatic authority is renewed by AutoSSL; one that its owner chose stays', async () => {
  const [from, to] = ['20260101000000Z', '20260401000000Z']
  const authority = (subject: string) => certificate({ subject, names: [], ca: true })
  const pem = (domain: string, subject: string, until = to) => {
    const made = certificate({ subject: `/CN=${domain}`, names: [domain], from, to: until, issuer: authority(subject) })
    return [`apache_tls/${domain}`, made.key + made.certificate]
  }
  const tls = filesOf(
    Object.fromEntries([
      pem('alice.example', "/C=US/O=Let's Encrypt/CN=R11"),
      pem('shop.example', "/C=US/O=Let's Encrypt/CN=R11", '20270101000000Z'),
      pem('blog.alice.example', '/O=Corp/CN=Corp issuing authority'),
    ]),
  )
  const { panel, path } = await panelWith({ 'alice.tar.gz': cpmove([...wordpress(), ...tls]) })
  const one = await imported(panel, { path: path('alice.tar.gz') })
  const at = `/accounts/${one.account_id}`
  const kinds = async () => {
    const { items } = (await panel.get(`${at}/domains?per_page=50`)).body
    return Object.fromEntries(items.map(({ name, certificate }: Json) => [name, certificate?.kind]))
  }
  const expected = { 'alice.example': 'imported', 'shop.example': 'custom', 'blog.alice.example': 'custom' }
  expect(await kinds()).toMatchObject(expected)
  expect((await reportOf(panel, one.id)).filter(({ part }) => part === 'ssl')).toEqual([
    { part: 'ssl', item: 'alice.example', outcome: 'as_is', text: 'certificate until 2026-04-01, renewed by AutoSSL' },
    { part: 'ssl', item: 'blog.alice.example', outcome: 'as_is', text: 'certificate until 2026-04-01' },
    { part: 'ssl', item: 'shop.example', outcome: 'as_is', text: 'certificate until 2027-01-01' },
  ])
  await panel.post(`/imports/${one.id}/activate`)
  await panel.settle()
  await panel.patch('/settings', { acme_directory_url: 'http://127.0.0.1:1/directory' })
  const unfinished = panel.store.sqlite.prepare("SELECT 1 FROM jobs WHERE status IN ('queued', 'leased', 'running')")
  const attempted = async () => {
    await panel.clock.advance(60_000)
    while (unfinished.get()) await panel.settle()
    const { items } = (await panel.get(`${at}/domains?per_page=50`)).body
    const tried = items.filter(({ autossl }: Json) => autossl.last_attempt_at !== undefined)
    return tried.map(({ name }: Json) => name).sort()
  }
  expect(await attempted()).toEqual(['alice.test'])
  panel.clock.jump(Date.UTC(2026, 2, 2) - panel.clock.now())
  expect(await attempted()).toEqual(['alice.example', 'alice.test'])
  expect(await kinds()).toMatchObject(expected)
})

test('a blocked import makes nothing; what solves the conflict lets it run', async () => {
  const { panel, path } = await panelWith({ 'alice.tar.gz': cpmove() })
  await panel.post('/accounts', { username: 'alice', domain: 'other.example' })
  await panel.settle()
  const one = await imported(panel, { path: path('alice.tar.gz') })
  expect(one.status).toBe('blocked')
  const refused = await panel.post(`/imports/${one.id}/run`, {})
  expect([refused.status, refused.body.type, refused.body.detail]).toEqual([
    409,
    expect.stringMatching(/blocked$/),
    expect.stringContaining('2 conflicts prevent the import'),
  ])
  expect((await panel.get('/accounts')).body.total).toBe(1)
  expect((await panel.post(`/imports/${one.id}/activate`)).body.type).toMatch(/incomplete$/)
  await panel.patch(`/imports/${one.id}`, { as: 'bobby' })
  const dry = await panel.post(`/imports/${one.id}/run`, { dry_run: true })
  expect(dry.body.import.status).toBe('ready')
  expect((await panel.get('/accounts')).body.total).toBe(1)
  expect((await panel.post(`/imports/${one.id}/run`, {})).status).toBe(202)
  await panel.settle()
  const done = (await panel.get(`/imports/${one.id}`)).body
  expect(done, JSON.stringify(done)).toMatchObject({ status: 'imported', username: 'bobby' })
  const databases = (await panel.get(`/accounts/${done.account_id}/mysql/databases`)).body.items
  expect(databases.map(({ name }: Json) => name).sort()).toEqual(['bobby_stats', 'bobby_wp'])
})

test('names in configurations are rewritten once, and the former files stay beside', async () => {
  const config =
    "<?php\ndefine('DB_NAME', 'alice_wp');\ndefine('DB_USER', \"alice_app\");\n$dir = '/home/alice/public_html/x';\n$other = 'xalice_wp';\n"
  const entries = [...wordpress(), ...filesOf({ 'homedir/public_html/wp-config.php': config })]
  const { panel, path } = await panelWith({ 'alice.tar.gz': cpmove(entries) })
  const one = await imported(panel, { path: path('alice.tar.gz'), as: 'bobby' })
  expect(one.status, one.error).toBe('imported')
  const root = join(hostOf(panel), 'home/bobby/public_html')
  expect(readFileSync(join(root, 'wp-config.php'), 'utf8')).toBe(
    config
      .replace("'alice_wp'", "'bobby_wp'")
      .replace('alice_app', 'bobby_app')
      .replace('/home/alice/', '/home/bobby/'),
  )
  expect(readFileSync(join(root, 'wp-config.php.before-import'), 'utf8')).toBe(config)
  expect(await reportOf(panel, one.id)).toContainEqual(
    expect.objectContaining({ part: 'files', item: 'public_html/wp-config.php', outcome: 'changed' }),
  )
})

test('the old password opens the panel once, and the store has argon2id alone afterwards', async () => {
  const { panel, path } = await panelWith({ 'alice.tar.gz': cpmove() })
  const one = await imported(panel, { path: path('alice.tar.gz') })
  const stored = (): unknown =>
    panel.store.sqlite.prepare('SELECT password_hash FROM accounts WHERE id = ?').pluck().get(one.account_id)
  expect(stored()).toMatch(/^\$6\$/)
  const signIn = (password: string) => new Browser(panel).post('/auth/sign-in', { username: 'alice', password })
  expect((await signIn('wrong')).status).toBe(401)
  expect((await signIn('correct horse 1')).status).toBe(200)
  expect(stored()).toMatch(/^\$argon2id\$/)
  expect((await signIn('correct horse 1')).status).toBe(200)
})

test('each mail filter is a line of the report, and the alias of a domain becomes forwarders', async () => {
  const { panel, path } = await panelWith({
    'alice.tar.gz': cpmove([
      ...wordpress(),
      ...filesOf({
        'vad/alice.test': 'alice.test: alice.example\n',
        'vf/shop.example':
          '# Exim filter\nif not first_delivery and error_message then finish endif\n\n#invoices\nif\n $header_from: contains "x"\nthen\n deliver "y"\nendif\n',
        'vf/alice.example': '',
        'homedir/etc/alice.example/info/filter.yaml':
          "---\nfilter:\n  -\n    filtername: 'spam words'\n    rules:\n      - part: '$header_subject:'\n  - filtername: two\nversion: '2.2'\n",
      }),
    ]),
  })
  const one = await imported(panel, { path: path('alice.tar.gz') })
  expect(one.status, one.error).toBe('imported')
  const mail = (await reportOf(panel, one.id)).filter(({ part }) => part === 'mail')
  expect(mail.filter(({ item }) => item.startsWith('filter ')).map(({ text, part, ...line }) => line)).toEqual([
    ...[
      ['info@alice.example: spam words', 4],
      ['info@alice.example: two', 7],
    ].map(([name, line]) => ({
      item: `filter ${name}`,
      outcome: 'not_possible',
      file: 'etc/alice.example/info/filter.yaml',
      line,
    })),
    { item: 'filter shop.example: invoices', outcome: 'not_possible', file: 'vf/shop.example', line: 5 },
  ])
  expect(mail.find(({ item }) => item === 'domain alias alice.test')).toMatchObject({
    ...{ outcome: 'changed', from: 'alice.test', to: 'alice.example' },
  })
  const { items } = (await panel.get(`/accounts/${one.account_id}/email/forwarders?per_page=100`)).body
  expect(items.find(({ address }: Json) => address === 'info@alice.test')).toMatchObject({
    destinations: ['info@alice.example'],
  })
  expect(items.map(({ address }: Json) => address)).toContain('team@alice.test')
})

describe('.htaccess files', () => {
  const wordpressOwn = wordpress().find(({ path }) => path === 'homedir/public_html/.htaccess')!.content as string
  const withFiles = (files: Readonly<Record<string, string>>, more: readonly Entry[] = []) =>
    panelWith({ 'carol.tar.gz': small([...filesOf(files), ...more]) })
  const mainOf = async (panel: TestPanel, account: string): Promise<Json> =>
    (await panel.get(`/accounts/${account}/domains`)).body.items.find(({ name }: Json) => name === 'carol.example')
  const linesOf = async (panel: TestPanel, id: string): Promise<Json[]> =>
    (await reportOf(panel, id)).filter(({ part }) => part === 'htaccess')
  const withoutApache = (panel: TestPanel) =>
    vi.spyOn(hostsOf(panel.panel.runtime).driverOf('local'), 'offers').mockReturnValue(false)
  const everybody = ['0.0.0.0/0', '::/0']
  const closed = (...paths: string[]) => paths.map((path) => ({ path, deny: everybody }))
  const protecting = {
    'homedir/public_html/.htaccess': `${wordpressOwn}Redirect /old /new\n`,
    'homedir/public_html/private/.htaccess': 'AuthType Basic\nAuthName x\nRequire valid-user\n',
    'homedir/public_html/a/refused/.htaccess': 'RewriteEngine on\nRewriteRule . - [R=301,F]\n',
    'homedir/public_html/a/gone/.htaccess': 'RedirectMatch 404 .\n',
    'homedir/public_html/private/deep/.htaccess': 'Deny from all\n',
    'homedir/public_html/docs/.htaccess': 'Options -Indexes\n',
    'homedir/backup/.htaccess': 'Deny from all\n',
  }

  test('are what Apache applies where they are more than permalinks', async () => {
    const { panel, path } = await withFiles(protecting)
    const one = await imported(panel, { path: path('carol.tar.gz') })
    expect(one.status, one.error).toBe('imported')
    const site = await mainOf(panel, one.account_id)
    expect([site.handler, site.access]).toEqual(['apache', undefined])
    expect((await linesOf(panel, one.id)).map(({ item, outcome }) => [item, outcome])).toEqual(
      Object.keys(protecting)
        .map((name) => [name.slice('homedir/'.length), 'as_is'])
        .sort(),
    )
  })

  test('that have permalinks alone, comments or nothing need no Apache', async () => {
    const { panel, path } = await withFiles({ 'homedir/public_html/.htaccess': wordpressOwn })
    withoutApache(panel)
    const one = await imported(panel, { path: path('carol.tar.gz') })
    expect((await mainOf(panel, one.account_id)).handler).toBe('php-front')
    const other = await withFiles({ 'homedir/public_html/a/.htaccess': '# nothing\n' })
    const two = await imported(other.panel, { path: other.path('carol.tar.gz') })
    expect((await mainOf(other.panel, two.account_id)).handler).toBe('php')
    const sub = wordpressOwn.replace('RewriteBase /', 'RewriteBase /b/').replace('/index.php [L]', '/b/index.php [L]')
    const third = await withFiles({ 'homedir/public_html/b/.htaccess': sub })
    const three = await imported(third.panel, { path: third.path('carol.tar.gz') })
    expect((await mainOf(third.panel, three.account_id)).handler).toBe('apache')
  })

  test('block the import where the host has no Apache, and name the command that installs it', async () => {
    const { panel, path } = await withFiles(protecting)
    const spy = withoutApache(panel)
    const one = await imported(panel, { path: path('carol.tar.gz') })
    expect(one.status).toBe('blocked')
    const conflicts = (await linesOf(panel, one.id)).filter(({ outcome }) => outcome === 'conflict')
    expect(conflicts).toHaveLength(6)
    expect(conflicts[0]).toMatchObject({
      text: expect.stringContaining('--skip htaccess'),
      fix: 'panel host setup --without none',
    })
    expect((await panel.get('/accounts')).body.total).toBe(0)
    spy.mockReturnValue(true)
    expect((await panel.post(`/imports/${one.id}/run`, { dry_run: true })).body.import.status).toBe('ready')
  })

  test('that are skipped leave no protected directory open, and the report says so first', async () => {
    const { panel, path } = await withFiles(protecting)
    withoutApache(panel)
    const one = await imported(panel, { path: path('carol.tar.gz'), skip: ['htaccess'] })
    expect(one.status, one.error).toBe('imported')
    const site = await mainOf(panel, one.account_id)
    expect([site.handler, site.access]).toEqual(['php-front', closed('/a/gone', '/a/refused', '/private')])
    const report = await reportOf(panel, one.id)
    expect(report.slice(0, 4).map(({ item, outcome, to }) => [item, outcome, to])).toEqual(
      ['a/gone', 'a/refused', 'private', 'private/deep'].map((name) => [
        `public_html/${name}/.htaccess`,
        'not_possible',
        'denied',
      ]),
    )
    expect(report[3]).toMatchObject({
      text: expect.stringContaining('carol.example/private'),
      from: 'access rules',
      fix: 'panel host setup --without none',
    })
    expect(report.find(({ item }) => item === 'public_html/docs/.htaccess')).toMatchObject({ outcome: 'not_possible' })
    const vhost = hostText(panel, 'etc/panel/nginx/sites/carol.example.conf')
    for (const place of ['/a/gone', '/a/refused', '/private']) expect(vhost).toContain(`"^${place}(?:/|$)"`)
    expect(vhost).toContain('  ::/0 1;')
  })

  test('that cannot be read or named in a rule close what is around them', async () => {
    const { panel, path } = await withFiles(
      {
        'homedir/public_html/large/.htaccess': '#'.repeat(64 * 1024 + 1),
        'homedir/public_html/a/my files/.htaccess': 'Deny from all\n',
        'homedir/rules': 'Deny from all\n',
      },
      [
        { path: 'homedir/public_html/linked/.htaccess', link: '../../rules' },
        { path: 'homedir/public_html/hard/.htaccess', hard: 'homedir/rules' },
      ],
    )
    const one = await imported(panel, { path: path('carol.tar.gz'), skip: ['htaccess'] })
    expect((await mainOf(panel, one.account_id)).access).toEqual(closed('/a', '/hard', '/large', '/linked'))
  })

  test('elsewhere count where a link of the site leads to what they protect', async () => {
    const links = [
      ['public_html/stats', '../private/deep'],
      ['public_html/all', '/home/carol/public'],
      ['public_html/twice', '../step'],
      ['step', 'private'],
      ['public_html/free', '../open'],
      ['public_html/outside', '/etc'],
    ].map(([from, link]) => ({ path: `homedir/${from}`, link: link! }))
    const files = { 'homedir/private/.htaccess': 'Deny from all\n', 'homedir/public/a/.htaccess': 'Deny from all\n' }
    const { panel, path } = await withFiles(files, links)
    const one = await imported(panel, { path: path('carol.tar.gz'), skip: ['htaccess'] })
    expect((await mainOf(panel, one.account_id)).access).toEqual(closed('/all', '/stats', '/twice'))
    const other = await withFiles(files, links)
    const two = await imported(other.panel, { path: other.path('carol.tar.gz') })
    expect((await mainOf(other.panel, two.account_id)).handler).toBe('apache')
  })

  test('above a document root close all of it', async () => {
    const { panel, path } = await withFiles({ 'homedir/.htaccess': 'Require ip 192.0.2.1\n' })
    const one = await imported(panel, { path: path('carol.tar.gz'), skip: ['htaccess'] })
    expect((await mainOf(panel, one.account_id)).access).toEqual(closed('/'))
  })

  test('that are more than a site may have rules close what is above them', async () => {
    const many = Array.from({ length: 60 }, (_, n) => [
      `homedir/public_html/${n % 2 ? 'a' : n}/${n}/.htaccess`,
      'Deny from all\n',
    ])
    const { panel, path } = await withFiles(Object.fromEntries(many))
    const one = await imported(panel, { path: path('carol.tar.gz'), skip: ['htaccess'] })
    const { access } = await mainOf(panel, one.account_id)
    expect(access).toHaveLength(31)
    expect(access).toContainEqual(closed('/a')[0])
  })
})
