import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readSource } from '../../src/host/imports/read.ts'
import type { Json, TestPanel } from '../harness.ts'
import { crypt, dumpOf, type Entry, filesOf, gzipped, nativeHash, tarOf } from './archives.ts'
import { imported, panelWith, reportOf } from './panel.ts'

const limits = { maxEntries: 10_000, maxBytes: 50_000_000 }
async function read(bytes: Buffer) {
  const source = await readSource(
    (async function* () {
      yield bytes
    })(),
    limits,
  )
  if (source.damage !== undefined) throw new Error(source.damage)
  return source
}

const all = Object.fromEntries(
  'alter alter_routine create create_routine create_tmp_table create_view delete drop event execute index insert lock_tables references select show_view trigger update'
    .split(' ')
    .map((name) => [`${name}_priv`, 'Y']),
)
const privileges = (more: Record<string, string>): string =>
  Object.entries({ ...all, ...more })
    .map(([key, value]) => `${key}=${value}`)
    .join('&')

/** As DirectAdmin packs a user. */
function directadmin(more: readonly Entry[] = []): Entry[] {
  const home = tarOf([
    { path: './', isDirectory: true },
    { path: './public_html', link: './domains/dora.example/public_html' },
    ...filesOf({
      './Maildir/new/1700000009.M1.old': 'Subject: to the system user\n\n',
      './.shadow': 'not wanted',
      './notes.txt': 'notes\n',
      './mail/old': 'no mailbox',
      './.ssh/authorized_keys': 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me\n',
    }),
  ])
  return [
    { path: 'domains', isDirectory: true },
    { path: 'domains/dora.example', isDirectory: true, mode: 0o711 },
    { path: 'domains/dora.example/private_html', link: './public_html' },
    ...filesOf({
      'domains/dora.example/public_html/index.html': 'dora\n',
      'domains/dora.example/public_html/blog/index.html': 'blog\n',
      'domains/dora.example/public_html/closed/.htaccess': 'Deny from all\n',
      'domains/shop.example/public_html/index.html': 'shop\n',
      'backup/user.conf':
        'account=ON\r\nbandwidth=2048\r\ncreator=admin\r\ndomain=dora.example\r\ndomainptr=3\r\nemail=owner@elsewhere.example\r\nftp=4\r\nip=192.0.2.10\r\nlanguage=en\r\nmysql=5\r\nnemails=20\r\nnsubdomains=unlimited\r\npackage=gold\r\nquota=512\r\nssh=OFF\r\nsuspended=no\r\nusername=dora\r\nvdomains=3\r\n',
      'backup/.shadow': `${crypt('correct horse 1')}\n`,
      'backup/crontab.conf':
        'MAILTO=owner@elsewhere.example\nPATH=/usr/local/bin\n1=*/5 * * * * /usr/local/bin/php /home/dora/domains/dora.example/public_html/cron.php\n2=@reboot /home/dora/start\n',
      'backup/dora.example/domain.conf':
        'domain=dora.example\nip=192.0.2.10\nlocal_domain=1\nphp1_select=2\ndefaultdomain=yes\n',
      'backup/dora.example/subdomain.list': 'blog\nbad label\n',
      'backup/dora.example/domain.pointers': 'dora.test=alias\nold.test=pointer\n',
      'backup/dora.example/dora.example.db':
        '$TTL 14400\n@ IN SOA ns1.old. root.old. ( 1 2 3 4 5 )\ndora.example. 3600 IN A 192.0.2.10\ncrm 3600 IN A 203.0.113.50\nodd 3600 IN A 300.1.2.3\n',
      'backup/dora.example/ftp.passwd': `dora=passwd=${crypt('x')}&path=/home/dora&type=system\ndeploy@dora.example=passwd=${encodeURIComponent(crypt('deploy secret 1'))}&path=/home/dora/domains/dora.example/public_html&type=custom\n`,
      'backup/dora.example/email/passwd': `info:${crypt('info secret 1')}\nlocked:!${crypt('locked secret 1')}\nempty:\n`,
      'backup/dora.example/email/quota': 'info:262144000\nlocked:0\n',
      'backup/dora.example/email/aliases':
        'dora:dora\nteam:one@elsewhere.example,two@elsewhere.example\nscript:"|/home/dora/handle"\n*: :fail:\n',
      'backup/dora.example/email/vacation.conf':
        'info: endday=5&endmonth=3&endtime=evening&endyear=2027&startday=1&startmonth=3&starttime=morning&startyear=2027\n',
      'backup/dora.example/email/reply/info.msg': 'Away.\n',
      'backup/dora.example/email/reply/info.subject': 'Gone fishing\n',
      'backup/dora.example/email/reply/info.once_time': '2d',
      'backup/shop.example/domain.conf': 'domain=shop.example\nlocal_domain=0\n',
      'backup/dora_wp.sql': dumpOf('dora_wp'),
      'backup/dora_wp.conf': `accesshosts=0=localhost&1=%25\ndb_collation=CATALOG_NAME=def&DEFAULT_CHARACTER_SET_NAME=utf8mb4&DEFAULT_COLLATION_NAME=utf8mb4_unicode_ci&SCHEMA_NAME=dora_wp\ndora=${privileges({ passwd: encodeURIComponent(nativeHash('main secret 1')) })}\ndora_app=${privileges({ passwd: `%2A${nativeHash('app secret 1').slice(1)}` })}\ndora_ro=${Object.keys(
        all,
      )
        .map((key) => `${key}=${key === 'select_priv' ? 'Y' : 'N'}`)
        .join('&')}&passwd=${nativeHash('ro secret 1')}\n`,
      'backup/dora.example/mystery.txt': 'x',
      'backup/reseller.conf': 'x',
      'imap/dora.example/info/Maildir/cur/1700000001.M1P1.old,S=12:2,S': 'Subject: one\n\nbody\n',
      'imap/dora.example/info/Maildir/dovecot-uidlist': '3 V1700000000 N2 Gabc\n',
      'imap/dora.example/info/.mailboxlist': 'x',
      'imap/.hidden/info/Maildir/cur/1': 'no domain',
    }),
    { path: 'backup/home.tar.gz', content: gzipSync(home) },
    ...more,
  ]
}

/** As HestiaCP packs a user. */
function hestia(pack: (tar: Buffer) => Buffer = gzipSync, end = 'gz', more: readonly Entry[] = []): Entry[] {
  const site = (text: string) =>
    pack(
      tarOf([
        { path: 'public_html', isDirectory: true, mode: 0o751 },
        ...filesOf({ 'public_html/index.html': text, 'private/secret.txt': 'x', 'logs/a.log': 'x' }),
      ]),
    )
  return filesOf({
    './.zstd': '',
    './hestia/user.conf':
      "NAME='Hedy'\nPACKAGE='gold'\nCONTACT='owner@elsewhere.example'\nDISK_QUOTA='512'\nBANDWIDTH='unlimited'\nDATABASES='4'\nWEB_DOMAINS='3'\nSUSPENDED='no'\nLANGUAGE='en'\nSHELL='nologin'\nDATE='2024-05-06'\nTIME='07:08:09'\n",
    './pam/passwd': 'hedy:x:1005:1005::/home/hedy:/usr/sbin/nologin\n',
    './pam/shadow': `hedy:${crypt('correct horse 1')}:19000:0:99999:7:::\n`,
    './web/hedy.example/hestia/web.conf': `DOMAIN='hedy.example' IP='192.0.2.10' IP6='' CUSTOM_DOCROOT='/home/hedy/web/hedy.example/public_html/' TPL='default' BACKEND='PHP-8_2' ALIAS='www.hedy.example,hedy.test' SSL='no' FTP_USER='hedy_deploy' FTP_MD5='${crypt('deploy secret 1')}' FTP_PATH='/public_html' SUSPENDED='no' TIME='08:00:00' DATE='2024-05-06'\n`,
    [`./web/hedy.example/domain_data.tar.${end}`]: site('hedy\n'),
    './web/blog.hedy.example/hestia/web.conf':
      "DOMAIN='blog.hedy.example' IP='192.0.2.10' BACKEND='default' ALIAS='' TIME='09:00:00' DATE='2024-05-06'\n",
    [`./web/blog.hedy.example/domain_data.tar.${end}`]: site('blog\n'),
    './dns/hedy.example/hestia/dns.conf': "DOMAIN='hedy.example' IP='192.0.2.10' TPL='default' TTL='14400'\n",
    './dns/hedy.example/hestia/hedy.example.conf':
      "ID='1' RECORD='@' TYPE='A' PRIORITY='' VALUE='192.0.2.10' SUSPENDED='no'\nID='2' RECORD='crm' TYPE='A' PRIORITY='' VALUE='203.0.113.50' SUSPENDED='no' TTL='600'\nID='3' RECORD='off' TYPE='A' PRIORITY='' VALUE='203.0.113.51' SUSPENDED='yes'\n",
    './mail/hedy.example/hestia/mail.conf':
      "DOMAIN='hedy.example' ANTIVIRUS='no' CATCHALL='info@hedy.example' ACCOUNTS='2'\n",
    './mail/hedy.example/hestia/hedy.example.conf': `ACCOUNT='info' ALIAS='sales,support' AUTOREPLY='yes' FWD='copy@elsewhere.example' FWD_ONLY='' MD5='{SHA512-CRYPT}${crypt('info secret 1')}' QUOTA='250' SUSPENDED='no'\nACCOUNT='locked' ALIAS='' AUTOREPLY='no' FWD='' MD5='{MD5}$1$abcdefgh$irWbblnpmw.5z7wgBnprh0' QUOTA='unlimited' SUSPENDED='yes'\n`,
    './mail/hedy.example/hestia/info@hedy.example.msg': 'Away.\n',
    [`./mail/hedy.example/accounts.tar.${end}`]: pack(
      tarOf(filesOf({ 'info/cur/1700000001.M1P1.old,S=12:2,S': 'Subject: one\n\nbody\n', 'info/dovecot.index': 'x' })),
    ),
    './db/hedy_wp/hestia/db.conf': `DB='hedy_wp' DBUSER='hedy_app' MD5='${nativeHash('app secret 1')}' HOST='localhost' TYPE='mysql' CHARSET='utf8mb4' SUSPENDED='no'\n`,
    [`./db/hedy_wp/hedy_wp.mysql.sql.${end}`]: pack(Buffer.from(dumpOf('hedy_wp'))),
    [`./db/hedy_pg/hedy_pg.pgsql.sql.${end}`]: pack(Buffer.from('x')),
    './cron/cron.conf':
      "JOB='1' MIN='*/5' HOUR='*' DAY='*' MONTH='*' WDAY='*' CMD='/usr/bin/php -r %quote%echo 1;%quote%' SUSPENDED='no'\nJOB='2' MIN='0' HOUR='1' DAY='*' MONTH='*' WDAY='*' CMD='true' SUSPENDED='yes'\n",
    [`./user_dir/.ssh.tar.${end}`]: pack(
      tarOf(
        filesOf({
          '.ssh/authorized_keys':
            'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me\n',
        }),
      ),
    ),
    [`./user_dir/notes.tar.${end}`]: pack(tarOf(filesOf({ 'notes/a.txt': 'a\n' }))),
  }).concat(more)
}

test('an archive of DirectAdmin is read as one account', async () => {
  const source = await read(gzipped(directadmin()))
  expect(source).toMatchObject({
    format: 'directadmin',
    username: 'dora',
    mainDomain: 'dora.example',
    homes: ['/home/dora'],
    plan: {
      name: 'gold',
      owner: 'admin',
      contact: 'owner@elsewhere.example',
      quotaMb: 512,
      bandwidthMb: 2048,
      ips: ['192.0.2.10'],
      limits: { email_accounts: 20, databases: 5, ftp_accounts: 4, parked_domains: 3, addon_domains: 2 },
    },
    domains: [
      { name: 'dora.example', kind: 'main', documentRoot: 'domains/dora.example/public_html' },
      { name: 'shop.example', kind: 'addon', documentRoot: 'domains/shop.example/public_html' },
      { name: 'blog.dora.example', kind: 'sub', documentRoot: 'domains/dora.example/public_html/blog' },
      { name: 'dora.test', kind: 'parked', parent: 'dora.example' },
      { name: 'old.test', kind: 'parked', parent: 'dora.example' },
    ],
    mailboxes: [
      { local: 'info', domain: 'dora.example', isLocked: false, quotaMb: 250, messages: 1 },
      { local: 'locked', isLocked: true },
      { local: 'empty', isLocked: false },
      { local: 'dora', isDefault: true, messages: 1 },
    ],
    mailDomains: [
      { domain: 'dora.example', routing: 'auto' },
      { domain: 'shop.example', routing: 'remote' },
    ],
    databases: [{ name: 'dora_wp', collation: 'utf8mb4_unicode_ci', charset: 'utf8mb4', tables: 1, refusedCount: 0 }],
    databaseUsers: [
      { name: 'dora', hash: nativeHash('main secret 1'), hosts: ['localhost', '%'], grants: [{ privileges: ['ALL'] }] },
      { name: 'dora_app', hash: nativeHash('app secret 1') },
      { name: 'dora_ro', grants: [{ database: 'dora\\_wp', privileges: ['SELECT'] }] },
    ],
    ftp: [
      { local: 'dora', isOwn: true, directory: '/home/dora' },
      { local: 'deploy', hash: crypt('deploy secret 1'), directory: '/home/dora/domains/dora.example/public_html' },
    ],
    autoresponders: [
      { local: 'info', subject: 'Gone fishing', body: 'Away.', intervalHours: 48, startsAt: Date.UTC(2027, 2, 1) },
    ],
    sshKeys: [expect.stringContaining('ssh-ed25519')],
    htaccess: [{ file: 'domains/dora.example/public_html/closed/.htaccess', hasAccess: true }],
  })
  expect(source.cron.map(({ line, schedule }) => [line, schedule])).toEqual([
    [3, '*/5 * * * *'],
    [4, '@reboot'],
  ])
  expect(source.others).toEqual([
    { what: 'unknown entries at backup mystery.txt', count: 1 },
    { what: "a reseller's settings", count: 1 },
  ])
  expect(source.findings.map(({ item }) => item)).toEqual(['dora.example PHP', 'old.test redirect'])
})

test.each([
  ['gz', gzipSync],
  ['zst', (input: Buffer) => execFileSync('zstd', ['-q', '-c'], { input })],
] as const)('an archive of HestiaCP is read as one account: %s', async (end, pack) => {
  const source = await read(tarOf(hestia(pack, end)))
  expect(source).toMatchObject({
    format: 'hestia',
    username: 'hedy',
    mainDomain: 'hedy.example',
    plan: { name: 'gold', quotaMb: 512, ips: ['192.0.2.10'], limits: { databases: 4, addon_domains: 2 } },
    domains: [
      { name: 'hedy.example', kind: 'main', documentRoot: 'web/hedy.example/public_html', php: '8.2' },
      { name: 'blog.hedy.example', kind: 'sub', parent: 'hedy.example' },
      { name: 'hedy.test', kind: 'parked', parent: 'hedy.example' },
    ],
    mailboxes: [
      { local: 'info', hash: crypt('info secret 1'), quotaMb: 250, messages: 1 },
      { local: 'locked', isLocked: true, hash: '$1$abcdefgh$irWbblnpmw.5z7wgBnprh0' },
    ],
    databases: [{ name: 'hedy_wp', charset: 'utf8mb4', tables: 1 }],
    databaseUsers: [{ name: 'hedy_app', hash: nativeHash('app secret 1'), grants: [{ privileges: ['ALL'] }] }],
    ftp: [{ local: 'hedy_deploy', directory: '/home/hedy/web/hedy.example/public_html' }],
    cron: [{ line: 1, command: "/usr/bin/php -r 'echo 1;'" }],
  })
  expect(source.aliases.map(({ local, targets }) => [local, targets[0]!.value])).toEqual([
    ['sales', 'info@hedy.example'],
    ['support', 'info@hedy.example'],
    ['info', 'copy@elsewhere.example'],
    ['*', 'info@hedy.example'],
  ])
  expect(source.zones[0]!.text).toContain('crm 600 IN A 203.0.113.50')
  expect(source.zones[0]!.text).not.toContain('203.0.113.51')
  expect(source.others).toEqual([{ what: 'PostgreSQL databases', count: 1 }])
})

const homeOf = (panel: TestPanel, name: string): string => join(panel.dir, 'host/home', name)

test('both are imported, with files, mail and databases where they belong', async () => {
  const { panel, path } = await panelWith({ 'dora.tar.gz': gzipped(directadmin()), 'hedy.tar': tarOf(hestia()) })
  const dora = await imported(panel, { path: path('dora.tar.gz') })
  expect(dora.status, dora.error ?? JSON.stringify(await reportOf(panel, dora.id))).toBe('imported')
  const refused = (await reportOf(panel, dora.id)).find(({ item }: Json) => item === 'dora.example line 5')
  expect(refused).toMatchObject({ outcome: 'not_possible', file: 'backup/dora.example/dora.example.db', line: 5 })
  const home = homeOf(panel, 'dora')
  expect(readFileSync(join(home, 'domains/dora.example/public_html/index.html'), 'utf8')).toBe('dora\n')
  expect(existsSync(join(home, 'mail/dora.example/info/Maildir/cur/1700000001.M1P1.old,S=12:2,S'))).toBe(true)
  expect(existsSync(join(home, 'mail/dora.example/dora/Maildir/new/1700000009.M1.old'))).toBe(true)
  expect(existsSync(join(home, 'mail.former/old'))).toBe(true)
  expect(existsSync(join(home, '.shadow'))).toBe(false)
  const hedy = await imported(panel, { path: path('hedy.tar') })
  expect(hedy.status, hedy.error ?? JSON.stringify(await reportOf(panel, hedy.id))).toBe('imported')
  const site = join(homeOf(panel, 'hedy'), 'web/hedy.example')
  expect(readFileSync(join(site, 'public_html/index.html'), 'utf8')).toBe('hedy\n')
  expect(existsSync(join(site, 'logs'))).toBe(false)
  expect(existsSync(join(homeOf(panel, 'hedy'), 'mail/hedy.example/info/Maildir/cur'))).toBe(true)
  for (const one of [dora, hedy]) {
    const databases = (await panel.get(`/accounts/${one.account_id}/mysql/databases`)).body.items
    expect(databases.map(({ name }: Json) => name)).toEqual([`${one.username}_wp`])
    expect(readFileSync(join(panel.dir, `host/etc/panel/db.d/${one.username}_wp.dump.sql`), 'utf8')).toContain('INSERT')
  }
})

test.each([
  ['DirectAdmin', (more: Entry[]) => gzipped(directadmin(more)), 'domains/dora.example/public_html'],
  [
    'HestiaCP',
    (more: Entry[]) => tarOf(hestia(gzipSync, 'gz', [{ path: 'user_dir/x.tar.gz', content: gzipSync(tarOf(more)) }])),
    'x',
  ],
] as const)('what no archive of %s should have is passed over and counted', async (_, archive, below) => {
  const source = await read(
    archive([
      { path: '../../etc/passwd', content: 'x' },
      { path: '/etc/passwd', content: 'x' },
      { path: `${below}/device`, code: '3' },
      { path: `${below}/fifo`, code: '6' },
      { path: `${below}/out`, link: '/etc' },
      { path: `${below}/up`, link: '../../../../../../etc' },
      { path: `${below}/${'n'.repeat(256)}`, content: 'x' },
      { path: `${below}/a\r\nb`, content: 'x' },
      { path: `${below}/twice`, content: 'first' },
      { path: `${below}/twice`, content: 'second' },
      { path: Buffer.concat([Buffer.from(`${below}/caf`), Buffer.from([0xe9])]), content: 'x' },
    ]),
  )
  expect(source.files.refused).toMatchObject({
    'names with ".."': 1,
    'absolute names': 1,
    'devices, FIFOs and unknown types': 2,
    'names of more than 255 bytes': 1,
    'a name that is there already': 1,
  })
  expect(source.files.outsideCount).toBe(2)
  expect(JSON.stringify(source.files)).not.toMatch(/[\r\n]/)
})

test('settings that no account can have break nothing', async () => {
  const hostile = directadmin([]).filter(({ path }) => !String(path).startsWith('backup/dora.example/'))
  const archive = gzipped([
    ...hostile,
    ...filesOf({
      'backup/dora.example/domain.conf': '\uFEFFdomain=dora.example\r\n=x\r\n__proto__=y\r\nlocal_domain\r\n',
      'backup/dora.example/domain.cust_httpd': '|?DOCROOT=`HOME`/../../etc|\n',
      'backup/dora.example/subdomain.list': '../..\n__proto__\n*\n\u001b[2J\n',
      'backup/dora.example/domain.pointers': 'a b=alias\n../x=alias\n',
      'backup/dora.example/email/passwd': '../../x:$6$a$b\n__proto__:$6$a$b\n:$6$\n\u001b[2J:x\n',
      'backup/dora.example/ftp.passwd': 'up@dora.example=passwd=%zz%2&path=/home/dora/../bob&type=custom\n',
      'backup/dora.example/email/aliases': '__proto__: x@y.example\n*:\n:a\n',
    }),
  ])
  const source = await read(archive)
  expect(source.domains[0]).toMatchObject({
    name: 'dora.example',
    documentRoot: 'domains/dora.example/public_html',
  })
  expect(source.domains.map(({ name }) => name)).toEqual(['dora.example', 'shop.example'])
  const { panel, path } = await panelWith({ 'dora.tar.gz': archive })
  expect((await imported(panel, { path: path('dora.tar.gz') })).status).toBe('imported')
})

test('a bomb of an archive within is stopped', async () => {
  const bomb = gzipSync(Buffer.alloc(200_000_000))
  await expect(read(gzipped([...directadmin(), { path: 'backup/bomb.sql.gz', content: bomb }]))).rejects.toThrow(
    'too large',
  )
  const home = gzipSync(Buffer.concat([tarOf([]), Buffer.alloc(100_000_000)]))
  const parts = directadmin().filter(({ path }) => path !== 'backup/home.tar.gz')
  await expect(read(gzipped([...parts, { path: 'backup/home.tar.gz', content: home }]))).rejects.toThrow('damaged')
})
