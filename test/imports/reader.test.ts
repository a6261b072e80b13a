import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readSource } from '../../src/host/imports/read.ts'
import {
  below,
  cpmove,
  crypt,
  dumpOf,
  type Entry,
  filesOf,
  gzipped,
  inChunks,
  nativeHash,
  tarOf,
  wordpress,
} from './archives.ts'

const limits = { maxEntries: 1000, maxBytes: 10_000_000 }

async function read(bytes: Buffer, more = {}) {
  const source = await readSource(inChunks(bytes), { ...limits, ...more })
  if (source.damage !== undefined) throw new Error(source.damage)
  return source
}

test('an archive of pkgacct is read as one account', async () => {
  const source = await read(cpmove())
  expect(source).toMatchObject({
    format: 'cpanel',
    username: 'alice',
    mainDomain: 'alice.example',
    homes: ['/home/alice'],
    plan: {
      name: 'gold',
      owner: 'root',
      contact: 'owner@elsewhere.example',
      locale: 'de',
      startedAt: 1577836800000,
      shell: '/usr/local/cpanel/bin/jailshell',
      ips: ['192.0.2.10'],
      quotaMb: 1024,
      bandwidthMb: 10240,
      limits: { email_accounts: 20, databases: 10, parked_domains: 2, addon_domains: 5 },
    },
    domains: [
      { name: 'alice.example', kind: 'main', documentRoot: 'public_html', php: '8.2' },
      { name: 'shop.example', kind: 'addon', documentRoot: 'shop.example', php: '7.4' },
      { name: 'blog.alice.example', kind: 'sub', parent: 'alice.example', documentRoot: 'public_html/blog' },
      { name: 'alice.test', kind: 'parked', parent: 'alice.example' },
    ],
    databaseUsers: [
      {
        name: 'alice',
        hashKind: 'native',
        hosts: ['localhost'],
        grants: [{ database: 'alice\\_%', privileges: ['ALL'] }],
      },
      { name: 'alice_app', hash: nativeHash('app secret 1'), isSuspended: false },
      { name: 'alice_ro', hash: nativeHash('ro secret 1'), isSuspended: true },
    ],
    ftp: [{ local: 'alice', isOwn: true }, { local: 'alice_logs' }, { local: 'deploy', domain: 'alice.example' }],
  })
  expect(source.domains).toHaveLength(4)
  expect(
    source.mailboxes.map(({ local, isLocked, quotaMb, messages }) => [local, isLocked, quotaMb, messages]),
  ).toEqual([
    ['info', false, 250, 1],
    ['info2', false, undefined, 0],
    ['locked', true, undefined, 0],
    ['old', false, undefined, 0],
    ['empty', false, undefined, 0],
    ['alice', false, undefined, 1],
  ])
  expect(source.mailboxes[0]!.hash).toBe(crypt('info secret 1'))
  expect(
    source.databases.map(({ name, tables, views, triggers, refusedCount }) => [
      name,
      tables,
      views,
      triggers,
      refusedCount,
    ]),
  ).toEqual([
    ['alice_wp', 1, 1, 1, 0],
    ['alice_stats', 1, 1, 1, 0],
  ])
  expect(source.cron.map(({ schedule, mailTo }) => [schedule, mailTo])).toEqual([
    ['*/5 * * * *', 'owner@elsewhere.example'],
    ['0 0 * * *', 'owner@elsewhere.example'],
    ['30 2 * * *', 'owner@elsewhere.example'],
    ['@reboot', 'owner@elsewhere.example'],
    ['0 1 * * *', 'owner@elsewhere.example'],
  ])
  expect(source.htaccess.map(({ file, isPermalinks, hasAccess }) => [file, isPermalinks, hasAccess])).toEqual([
    ['public_html/.htaccess', true, false],
    ['public_html/private/.htaccess', false, true],
  ])
  expect(source.files).toMatchObject({
    hardLinks: 1,
    links: 4,
    outsideCount: 1,
    outside: [{ file: 'secrets', target: '/etc' }],
  })
  expect(source.autoresponders).toEqual([
    {
      local: 'sales',
      domain: 'alice.example',
      from: 'Sales',
      subject: 'Re: %subject%',
      body: 'Away.',
      isHtml: false,
      startsAt: 1767225600000,
      endsAt: 1798761600000,
      intervalHours: 8,
    },
  ])
  expect(source.others).toContainEqual({ what: 'unknown entries at mystery', count: 1 })
})

test('wrappers, a bare archive, several gzip members and a packed home are read alike', async () => {
  const { sizeBytes: _, ...archive } = await read(cpmove())
  const home = wordpress().filter(({ path }) => String(path).startsWith('homedir/'))
  const inner = tarOf(
    home.map((one) => ({
      ...one,
      path: Buffer.from(one.path).subarray('homedir/'.length),
      ...(one.hard && { hard: one.hard.slice('homedir/'.length) }),
    })),
  )
  const rest = wordpress().filter(({ path }) => !String(path).startsWith('homedir'))
  const tar = tarOf(below('alice', wordpress()))
  const middle = 512 * 20
  const shapes = [
    cpmove(wordpress(), 'backup-3.1.2026_10-00-00_alice'),
    gzipped(wordpress()),
    gzipped(wordpress().map((one) => ({ ...one, path: Buffer.concat([Buffer.from('./'), Buffer.from(one.path)]) }))),
    tar,
    Buffer.concat([gzipSync(tar.subarray(0, middle)), gzipSync(tar.subarray(middle))]),
    gzipped(below('cpmove-alice', [...rest, { path: 'homedir.tar', content: inner }])),
  ]
  for (const [at, shape] of shapes.entries()) {
    const { sizeBytes: __, ...source } = await read(shape)
    const files = at === shapes.length - 1 ? { ...archive.files, directories: source.files.directories } : archive.files
    expect({ ...source, findings: [] }, `shape ${at}`).toEqual({ ...archive, files, findings: [] })
  }
})

test('what an archive may not hold is passed over and counted', async () => {
  const nasty: Entry[] = [
    { path: '/etc/passwd', content: 'x' },
    { path: 'cpmove-alice/homedir/../../up', content: 'x' },
    { path: 'cpmove-alice/homedir/device', code: '3' },
    { path: 'cpmove-alice/homedir/fifo', code: '6' },
    { path: 'other/homedir/x', content: 'x' },
    { path: 'cpmove-alice/cp/alice', content: 'USER=mallory\n' },
    { path: `cpmove-alice/homedir/${'a/'.repeat(130)}b`, content: 'x' },
    { path: `cpmove-alice/homedir/${'a'.repeat(256)}`, content: 'x' },
  ]
  const source = await read(gzipped([...below('cpmove-alice', wordpress()), ...nasty]))
  expect(source.username).toBe('alice')
  expect(source.files.refused).toEqual({
    'absolute names': 1,
    'names with ".."': 1,
    'devices, FIFOs and unknown types': 2,
    'names outside the first directory': 1,
    'a name that is there already': 1,
    'paths of more than 128 directories': 1,
    'names of more than 255 bytes': 1,
  })
  expect(source.files.refusedNames).toMatchObject({
    'absolute names': ['/etc/passwd'],
    'devices, FIFOs and unknown types': ['cpmove-alice/homedir/device', 'cpmove-alice/homedir/fifo'],
    'names of more than 255 bytes': [`cpmove-alice/homedir/${'a'.repeat(179)}…`],
  })
})

test('of many entries that are passed over, the first are named', async () => {
  const pipes = Array.from({ length: 9 }, (_, at) => ({ path: `cpmove-alice/homedir/\x1b[2Jpipe${at}`, code: '6' }))
  const { files } = await read(gzipped([...below('cpmove-alice', wordpress()), ...pipes]))
  const why = 'devices, FIFOs and unknown types'
  expect([files.refused[why], files.refusedNames?.[why]]).toEqual([
    9,
    [0, 1, 2, 3, 4].map((at) => `cpmove-alice/homedir/\\x1b[2Jpipe${at}`),
  ])
})

test('a damaged or short archive fails with the place', async () => {
  const archive = cpmove()
  for (const at of [20, 600, 1000, archive.length - 20])
    await expect(read(archive.subarray(0, at))).rejects.toThrow(/damaged or incomplete at byte \d+|not an archive/)
  for (let n = 1; n < 10; n++) {
    const flipped = Buffer.from(archive)
    const at = Math.floor((archive.length * n) / 10)
    flipped[at] = flipped[at]! ^ 0x55
    await expect(read(flipped)).rejects.toThrow(/at byte \d+/)
  }
  for (const junk of [Buffer.alloc(0), Buffer.from('PK\x03\x04'), Buffer.alloc(10_000, 'x')])
    await expect(read(junk)).rejects.toThrow(
      'is not an account archive of cPanel, DirectAdmin or Hestia: a tar, also as gz, zst, bz2 or xz',
    )
})

test('limits end the reading', async () => {
  await expect(read(cpmove(), { maxEntries: 10 })).rejects.toThrow('import_entries_max')
  await expect(read(cpmove(), { maxBytes: 1000 })).rejects.toThrow('import_bytes_max')
  const bomb = gzipped(
    below('cpmove-a', filesOf({ 'cp/a': 'DNS=a.example\n', 'mysql/a_b.sql.gz': gzipSync(Buffer.alloc(20_000_000)) })),
  )
  await expect(read(bomb)).rejects.toThrow('import_bytes_max')
})

test('statements that reach beyond the database are refused, however they are hidden', async () => {
  const bad = [
    ["GRANT ALL ON *.* TO 'x'@'%';", 'GRANT ALL'],
    ['/* a comment */ GRANT ALL ON *.* TO x;', 'GRANT ALL'],
    ['/*!50000 CREATE USER x */;', 'CREATE USER'],
    ["/*M!100100 INSTALL SONAME 'x' */;", 'SONAME'],
    ["CREATE FUNCTION f RETURNS STRING SONAME 'udf.so';", 'SONAME'],
    ["LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE posts;", 'LOAD DATA'],
    ['\\! touch /tmp/x\n;', 'a command of the client'],
    ['INSERT INTO mysql.user VALUES (1);', 'another database'],
    ['INSERT INTO `mysql`.`user` VALUES (1);', 'another database'],
    ['INSERT INTO posts SELECT 1;', 'INSERT without VALUES'],
    ["CREATE TABLE t (a int) DATA DIRECTORY='/tmp';", 'DATA DIRECTORY'],
    ['CREATE TABLE t (a int) ENGINE=CONNECT;', 'ENGINE=CONNECT'],
    ["DELIMITER //\nSET PASSWORD = 'x'//\nDELIMITER ;\n", 'SET PASSWORD'],
    ['USE mysql;', 'USE'],
    ['DROP DATABASE alice_wp;', 'DROP DATABASE'],
  ] as const
  for (const [statement, kind] of bad) {
    for (const size of [1, 7, 65_536]) {
      const archive = tarOf(
        below(
          'cpmove-a',
          filesOf({ 'cp/a': 'DNS=a.example\n', 'mysql/alice_wp.sql': dumpOf('alice_wp', `${statement}\n`) }),
        ),
      )
      const { databases } = await readSource(inChunks(archive, size), limits)
      expect(
        databases[0]!.refused.map((one) => one.kind),
        `${statement} in chunks of ${size}`,
      ).toEqual([expect.stringContaining(kind)])
    }
  }
})
