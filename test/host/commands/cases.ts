import { account, idOf, nameOf, server, zoneStateOf } from '../helpers.ts'

export interface Case {
  readonly input: object
  readonly result: unknown
}

const bob = nameOf(account())
const order = { epoch: 1, generation: 1 }
const archive = { path: '/root/cpmove-bob.tar.gz', dirs: ['/root'], maxEntries: 5, maxBytes: 6 }
const importSource = {
  ...{ format: 'cpanel', sizeBytes: 5, username: 'bob', mainDomain: 'bob.example', homes: [] },
  ...{ plan: { ips: [], limits: {} }, domains: [] },
  ...{ mailboxes: [], aliases: [], autoresponders: [], mailDomains: [], zones: [], databases: [], databaseUsers: [] },
  ...{ ftp: [], cron: [], certificates: [], sshKeys: [], htaccess: [], others: [], findings: [] },
  files: {
    ...{ files: 1, directories: 1, links: 0, hardLinks: 0, bytes: 5, modes: 0 },
    ...{ refused: { 'absolute names': 1 }, refusedNames: { 'absolute names': ['/etc/passwd'] } },
    ...{ outside: [], outsideCount: 0 },
  },
}
const place = { account: bob.id, backup: idOf(9) }
const manifestSha256 = 'a'.repeat(64)
const ticket = 'a'.repeat(32)
const name = 'c2hvcA=='
const entry = {
  ...{ name, path: name, type: 'file', size: 5, mode: '0644', modifiedAt: 1 },
  ...{ target: name, etag: '"5-1"' },
}
const trashed = { id: idOf(5), path: name, type: 'file', size: 5, deletedAt: 1 }
const signIn = { file: 'panel-sign-in-0123456789abcdef.php' }
const logPlace = { file: '17', offset: 5 }
const log = 'bob.example.access.log'
const days = { first: '2031-02-27', last: '2031-03-01', maxBytes: 1280 }
const bytes = { entry, start: 0, length: 5, partial: false, ticket }
const end = { exitCode: 1, signal: 'SIGTERM', timedOut: false, output: 'x', truncated: false }
const difference = { path: '/etc/x', change: 'changed', diff: '-a\n+b\n', note: 'A note.' }
const status = { id: idOf(3), status: 'crashed', reason: 'It exited.', release: 2 }
const app = {
  ...{ id: idOf(3), name: 'shop', kind: 'node', listen: 'port', running: true, release: 1, port: 20_000 },
  ...{ start: 'node .', host: 'bob.example', healthPath: '/', healthTimeoutS: 5, env: { A: 'b' } },
}
const deploy = { account: bob, app, release: 2, root: 'a', install: 'npm ci', build: 'npm run build' }
const limits = { buildTimeoutS: 60, secrets: ['A'], room: 5 }
const deployed = {
  ...{ commit: 'a'.repeat(40), sizeBytes: 5, root: '.', port: 20_000 },
  ...{ hostKey: 'ssh-ed25519 AAAA', warnings: ['A warning.'] },
}
const key = `-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n`
const git = {
  ...{ kind: 'git', url: 'https://git.example/x', ref: 'main', address: '192.0.2.1' },
  ...{ username: 'a', password: 'b', deployKey: key, hostKey: 'ssh-ed25519 AAAA' },
}
const s3 = {
  ...{ type: 's3', endpoint: 'https://s3.example', bucket: 'bucket', prefix: 'a/b', region: 'eu' },
  ...{ accessKey: 'key', secretKey: 'secret', password: 'a-long-password' },
}
const sftp = {
  ...{ type: 'sftp', host: 'sftp.example', port: 22, user: 'bob', path: '/srv/x', privateKey: key },
  ...{ hostKey: `ssh-ed25519 ${'A'.repeat(16)}`, password: 'a-long-password' },
}
const saved = {
  parts: [{ part: 'files', status: 'ok', files: 1, bytes: 2, warnings: ['A warning.'], error: 'An error.' }],
  ...{ texts: { 'account.json': 5 }, sizeBytes: 7, manifestSha256 },
}
const peers = {
  peers: [{ name: 'ns2', addresses: ['192.0.2.2'], secret: `${'A'.repeat(43)}=` }],
  catalogs: [{ number: 1, serial: 1, zones: ['bob.example'] }],
}
const pem = (what: string): string => `-----BEGIN ${what}-----\nAAAA\n-----END ${what}-----\n`
const state = {
  ...{ hostname: 'host.example', webmail: 'webmail.example', phpmyadmin: 'mysql.example', front: true },
  certificate: { certificatePem: pem('CERTIFICATE'), keyPem: pem('PRIVATE KEY') },
  ...{ challenges: [], namesOnly: false, dns: peers, disablesForeignSites: true },
}
const served = [{ id: bob.id, zones: [zoneStateOf('bob.example', '192.0.2.7')] }]
const usage = {
  ...{ id: bob.id, diskMb: 1, inodes: 2, cpuMs: 3, memoryMb: 4, atLeast: true, sentThisHour: 5 },
  databases: [{ name: 'bob_shop', bytes: 5 }],
  mailboxes: [{ domain: 'bob.example', local: 'info', bytes: 1, messages: 2 }],
}
const visits = {
  ...{ day: '2031-03-01', requests: 1, bytes: 2, bots: 3, visitors: ['0123456789abcdef'] },
  ...{ paths: [['/', 1]], referrers: [['https://a.example/', 1]], statuses: [['200', 1]] },
}
const files = (verb: string, input: object, result: unknown): Case => ({
  input: { account: bob, verb, input },
  result,
})

/** What the panel sends for each command with every field, and how a node answers. */
export const cases: Readonly<Record<string, readonly Case[]>> = {
  apply: [
    {
      input: { order, server: { ...server, mysqlPublic: true }, account: account(), areas: ['web'] },
      result: {
        areas: [{ area: 'web', changed: 1 }],
        warnings: [{ kind: 'home', account: bob.id, object: idOf(2), message: 'A warning.' }],
      },
    },
  ],
  remove: [
    {
      input: { order, account: bob, belongings: { databases: ['bob_shop'], databaseUsers: ['bob_shop'] } },
      result: null,
    },
  ],
  applyServer: [{ input: state, result: { changed: 1 } }],
  serveZones: [{ input: { served }, result: { changed: 1 } }],
  diffZones: [{ input: { served }, result: [{ id: bob.id, ...difference }] }],
  followPrimary: [
    {
      input: { primary: { address: '192.0.2.2', name: 'node_a', secret: `${'A'.repeat(43)}=`, catalogs: [1] } },
      result: { changed: 1 },
    },
  ],
  room: [{ input: {}, result: { diskFreeMb: 5 } }],
  diff: [{ input: { server, account: account(), state }, result: [difference] }],
  inspect: [
    {
      input: {},
      result: {
        ...{ system: 'Debian 13', quota: 'ext4', cgroup: 2 },
        services: [{ name: 'nginx', unit: 'nginx.service', state: 'active', version: '1.26' }],
        unenforced: [{ kind: 'cpu', reason: 'A reason.' }],
        misconfigured: [{ name: 'nginx', check: '/usr/sbin/nginx -t', reason: 'A reason.' }],
        queuedMail: 5,
      },
    },
    { input: {}, result: null },
  ],
  condition: [
    {
      input: {},
      result: {
        ...{ now: 1_900_000_000_000, cpus: 2, load: 150, memoryMb: 4000, availableMb: 1000 },
        fileSystems: [{ path: '/', usedMb: 1, totalMb: 2, usedInodes: 3, inodes: 0 }],
        stopped: [{ name: 'nginx', unit: 'nginx.service', state: 'failed' }],
        ...{ queuedMail: 5, deferredMail: 4, clockOffsetMs: 3, rebootReason: 'A reason.' },
        failingDisks: [{ device: '/dev/sda', reason: 'A reason.' }],
        readOnlyDatabases: ['alice'],
      },
    },
    { input: {}, result: null },
  ],
  verify: [
    { input: { server, account: account() }, result: [{ probe: 'http bob.example', ok: true, message: '200' }] },
  ],
  usage: [{ input: { accounts: [bob] }, result: [usage] }],
  listAccounts: [{ input: { ids: [bob.id] }, result: [{ id: bob.id, username: 'bob', uid: 20_001 }] }],
  files: [
    files('list', { path: name, limit: 5, after: name }, { items: [entry], total: 1, next: name }),
    files('stat', { path: name }, entry),
    files('makeDirectory', { path: name, parents: true }, entry),
    files('move', { from: name, to: name, overwrite: true }, entry),
    files('chmod', { path: name, mode: '0644' }, entry),
    files('trash', { path: name, id: idOf(5), now: 1, whenFull: 'undescribed' }, trashed),
    files('remove', { path: name }, null),
    files('listTrash', {}, { items: [trashed] }),
    files('restore', { id: idOf(5), to: name }, entry),
    files('emptyTrash', { before: 1 }, { removed: 1 }),
    files('uploadSizes', { ids: [idOf(5)] }, { sizes: [5] }),
    files(
      'htaccess',
      { root: name, handler: 'php-front' },
      { items: [{ file: name, line: 1, directive: 'Deny', kind: 'access', obeyed: false }], more: false },
    ),
    files(
      'wordpress',
      { root: name },
      {
        items: [
          {
            ...{ path: '/', core: '/wp', version: '6.8', database: 'bob_wp', prefix: 'wp2_' },
            ...{ multisite: false, staging: false, problem: 'config-loops' },
          },
        ],
        more: false,
      },
    ),
    files('userIni', { root: name, apply: true }, { files: 1 }),
    files('foresee', { work: 'copy', from: [name], to: name }, null),
    files('copy', { id: idOf(5), from: name, to: name, room: 5 }, { files: 1 }),
    files(
      'archive',
      { id: idOf(5), paths: [name], to: name, format: 'tar.gz', room: 5 },
      { files: 1, size: 5, warnings: ['A warning.'] },
    ),
    files(
      'extract',
      { id: idOf(5), path: name, to: name, overwrite: true, nameEncoding: 'gbk', room: 5 },
      { files: 1, bytes: 5, warnings: ['A warning.'] },
    ),
    files('listLogs', {}, { items: [{ file: log, size: 5, modifiedAt: 1, days: ['2031-02-28'] }] }),
    files(
      'tailLog',
      { file: log, since: { ...logPlace, born: '1' }, limit: 5, q: 'x', secrets: ['y'] },
      { lines: ['x'], next: { ...logPlace, born: '1' }, gap: true },
    ),
    files('dropUpload', { id: idOf(5) }, null),
    files(
      'saveUpload',
      { path: name, id: idOf(5), size: 5, sha256: manifestSha256, overwrite: true, mode: '0644' },
      entry,
    ),
    files('read', { path: name, range: 'bytes=0-', ifRange: '"5-1"' }, bytes),
    files('readLog', { file: log, day: '2031-02-28', today: true, range: 'bytes=0-', ifRange: '"5-1"' }, bytes),
    files('write', { path: name, mode: '0644', room: 5, maxBytes: 5, ifMatch: '*', ifAbsent: false }, { ticket }),
    files('append', { id: idOf(5), offset: 0, length: 5, size: 5, room: 5 }, { ticket }),
  ],
  commit: [
    { input: { ticket, bytes: 5 }, result: entry },
    { input: { ticket, bytes: 5 }, result: { offset: 5 } },
  ],
  discard: [{ input: { ticket }, result: null }],
  backup: [
    {
      input: {
        ...{ place: { ...place, path: '/srv/backups' }, account: bob, createdAt: 1, parts: ['files'] },
        ...{ databases: ['bob_shop'], texts: [{ name: 'account.json', text: '{}' }] },
      },
      result: saved,
    },
  ],
  checkBackup: [
    {
      input: { place, manifestSha256, parts: ['files'], into: bob },
      result: { damage: ['A sentence.'], contentBytes: 5, freeBytes: 6 },
    },
  ],
  checkArchive: [{ input: archive, result: { sizeBytes: 5 } }],
  readArchive: [{ input: archive, result: importSource }],
  unpackArchive: [
    {
      input: {
        ...archive,
        id: bob.id,
        uid: 20_000,
        room: 1,
        homes: ['/home/bob'],
        roots: ['public_html'],
        mailboxes: [{ from: 'bob.example/box', to: 'bob.example/box' }],
        databases: [{ from: 'bob_wp', to: 'bob_wp' }],
        without: ['files'],
      },
      result: { files: 1, bytes: 5, warnings: ['A sentence.'], refused: { 'absolute names': 1 } },
    },
  ],
  placeImport: [{ input: { id: bob.id, account: bob }, result: { placed: true } }],
  clearImport: [{ input: { account: bob }, result: {} }],
  dropImport: [{ input: { id: bob.id, account: bob.id }, result: {} }],
  tryBackup: [
    {
      input: { place, manifestSha256, account: bob },
      result: { damage: ['A sentence.'], tried: ['files.tar.zst'], left: ['A sentence.'] },
    },
  ],
  removeBackup: [{ input: { place: { ...place, repository: sftp } }, result: null }],
  readBackup: [
    {
      input: { place, manifestSha256 },
      result: { texts: [{ name: 'account.json', text: '{}' }], contents: [{ part: 'files', bytes: 5, inodes: 2 }] },
    },
  ],
  indexBackup: [{ input: { place, manifestSha256 }, result: null }],
  listBackup: [
    {
      input: { place, manifestSha256, part: 'files', path: name, after: name, limit: 5 },
      result: {
        indexed: true,
        items: [{ name, type: 'file', size: 5, mtimeMs: 5, mode: '0644' }],
        next: name,
      },
    },
  ],
  openBackup: [
    {
      input: { place, manifestSha256, part: 'files', range: 'bytes=0-', ifRange: '"x"' },
      result: {
        ...{ ending: 'files.tar.zst', size: 5, start: 0, length: 5, partial: false },
        ...{ sha256: manifestSha256, ticket },
      },
    },
  ],
  validatePlace: [{ input: { path: '/srv/backups' }, result: null }],
  testPlace: [
    { input: { repository: s3 }, result: null },
    { input: { path: '/srv/backups', repository: sftp }, result: null },
  ],
  restorePart: [
    {
      input: {
        ...{ place, manifestSha256, account: bob, restore: idOf(6), part: 'files', paths: [name], to: name },
        domain: { from: 'old.example', to: 'bob.example' },
        inodes: 5,
      },
      result: null,
    },
  ],
  restoreDatabases: [
    {
      input: {
        ...{ place, manifestSha256, account: bob, restore: idOf(6), prefix: 'bob_', formerPrefix: 'rob_' },
        databases: [{ from: 'rob_shop', to: 'bob_shop', collation: 'utf8mb4_unicode_ci' }],
      },
      result: { warnings: ['A warning.'] },
    },
  ],
  importDatabase: [
    {
      input: {
        ...{ account: bob, id: idOf(6), replace: true, from: 'old_shop', prefix: 'bob_' },
        ...{
          database: { name: 'bob_shop', collation: 'utf8mb4_unicode_ci' },
          source: { kind: 'file', path: 'c2hvcC5zcWw=' },
        },
      },
      result: {
        tables: 12,
        rows: 500,
        bytes: 100_000,
        warnings: [{ line: 7, reason: 'A reason.' }, { reason: 'Another.' }],
      },
    },
    {
      input: {
        ...{ account: bob, id: idOf(6), replace: false, prefix: 'bob_' },
        database: { name: 'bob_shop', collation: 'utf8mb4_unicode_ci' },
        source: { kind: 'upload', id: idOf(5), size: 5, sha256: manifestSha256 },
      },
      result: { tables: 0, rows: 0, bytes: 0, warnings: [] },
    },
  ],
  exportDatabase: [
    {
      input: { account: bob, id: idOf(6), database: 'bob_shop', compression: 'gzip', room: 1000 },
      result: { bytes: 100, warnings: ['A warning.'] },
    },
    {
      input: {
        ...{ account: bob, id: idOf(6), database: 'bob_shop', compression: 'none' },
        to: { path: 'c2hvcC5zcWw=', overwrite: false },
      },
      result: { bytes: 100, warnings: [] },
    },
  ],
  deployApp: [
    { input: { ...deploy, ...limits, source: git }, result: deployed },
    {
      input: { ...deploy, ...limits, source: { kind: 'upload', id: idOf(5), size: 5, sha256: manifestSha256 } },
      result: deployed,
    },
    { input: { ...deploy, ...limits, source: { kind: 'retained' } }, result: deployed },
  ],
  settleApp: [{ input: { app: { account: bob, id: idOf(3), name: 'shop' }, keep: [1] }, result: status }],
  restartApp: [{ input: { account: bob, id: idOf(3), name: 'shop' }, result: status }],
  appStatus: [{ input: { after: 'a-1:5' }, result: { at: 'a-1:6', items: [status] } }],
  traffic: [
    {
      input: { ...days, log: 'web', since: logPlace },
      result: { next: logPlace, more: false, transfers: [{ day: '2031-03-01', name: 'bob', received: 1, sent: 2 }] },
    },
  ],
  visits: [
    {
      input: {
        ...days,
        sites: [{ account: bob, file: 'bob.example', since: logPlace }],
        salts: [{ day: '2031-03-01', salt: 'a'.repeat(32) }],
      },
      result: [{ next: logPlace, more: false, days: [visits] }],
    },
  ],
  rotateLogs: [{ input: { day: '2031-03-01', keepFrom: '2031-02-01' }, result: null }],
  runCron: [
    {
      input: { account: bob, run: idOf(7), command: 'true', timeoutS: 60, mailTo: 'bob@elsewhere.example' },
      result: end,
    },
  ],
  runWordpress: (
    [
      ['plugins', {}, { items: [{ slug: 'akismet', name: 'Akismet', version: '5.0', update: '5.1', active: true }] }],
      ['themes', {}, { items: [{ slug: 'plain', active: false }] }],
      [
        'users',
        {},
        {
          items: [
            { id: 1, username: 'ed', name: 'Ed', email: 'ed@a.example', roles: ['editor'], administrator: false },
          ],
        },
      ],
      ['signIn', { ...signIn, hash: 'a'.repeat(64), seconds: 60, user: 'ed' }, { user: 'ed' }],
      [
        'install',
        {
          ...{ title: 'Shop', user: 'ed', email: 'ed@bob.example', password: 'correct horse' },
          ...{ locale: 'de_DE', permalinks: '/%postname%/' },
        },
        { user: 1 },
      ],
      ['maintenance', { enabled: true }, {}],
      ['places', {}, { plugins: 'sites/bob.example/public/wp-content/plugins', themes: null }],
      [
        'visit',
        { index: name, path: '/shop/?page=2' },
        { status: 200, title: 'Shop', bytes: 5_000, complete: true, words: ['Shop'], fatal: 'none() in a.php' },
      ],
      ['contents', {}, { tables: [{ name: 'wp_posts', checksum: '1234567890' }] }],
      ['upgradeTables', {}, {}],
      ['touch', { directory: name }, {}],
      ['endSignIn', signIn, {}],
    ] as const
  ).map(([task, input, answer]) => ({
    input: {
      ...{ account: bob, php: '8.4', core: name, url: 'https://bob.example/blog', task, input, timeoutS: 25 },
    },
    result: { answer },
  })),
  awaitCron: [
    { input: { account: bob, run: idOf(7) }, result: { end } },
    { input: { account: bob, run: idOf(7) }, result: { end: null } },
  ],
  hostTrash: [
    { input: { measured: true }, result: { items: [{ id: idOf(8), path: '/home/x', size: 5, deletedAt: 1 }] } },
  ],
  emptyHostTrash: [{ input: { before: 1 }, result: { removed: 1 } }],
  openProgram: [
    { input: { account: bob, program: 'webmail', mailbox: 'info@bob.example' }, result: { token: 'a'.repeat(32) } },
  ],
  ftpSessions: [{ input: {}, result: { items: [{ login: 'bob', address: '192.0.2.9', protocol: 'ftp', since: 1 }] } }],
  refusedDomains: [{ input: {}, result: { items: ['a.example'] } }],
  exchangeBans: [
    {
      input: {
        ...{ after: 1, seq: 2, more: false },
        bans: [
          { network: '2001:db8:1:2::/64', until: 1_900_000_000_000 },
          { network: '203.0.113.8', until: 1_900_000_000_000, reported: true },
        ],
        policy: { failures: 10, never: ['198.51.100.0/24'] },
      },
      result: {
        seq: 2,
        found: [
          {
            ...{ network: '203.0.113.7', service: 'ssh', failures: 10, more: false },
            logins: [{ service: 'ssh', name: 'bob', count: 10 }],
          },
        ],
      },
    },
  ],
  wafHits: [
    {
      input: { site: idOf(3), rule: 941_100, limit: 2, after: 9 },
      result: {
        items: [
          {
            ...{ n: 8, at: 4, address: '203.0.113.9', path: '/wp-login.php', rule: 941_100 },
            ...{ message: 'XSS Attack Detected via libinjection', action: 'blocked' },
          },
        ],
        more: false,
      },
    },
  ],
  firewall: [
    {
      input: {},
      result: {
        ...{ isSetUp: true, confirmed: idOf(7), pending: idOf(8) },
        services: [{ service: 'ftp', port: 6600, last: 7599, proto: 'tcp' }],
        listening: [{ port: 9000, proto: 'tcp', address: '0.0.0.0', program: 'node' }],
        foreign: [{ chain: 'inet filter input', policy: 'accept', rules: 1 }],
      },
    },
  ],
  changeFirewall: [
    {
      input: {
        id: idOf(7),
        rules: [
          { action: 'deny', port: 22, proto: 'tcp', from: '203.0.113.0/24' },
          { action: 'allow', service: 'mysql', proto: 'tcp' },
        ],
        trialS: 60,
      },
      result: null,
    },
  ],
  confirmFirewall: [{ input: { id: idOf(7) }, result: { confirmed: true } }],
  mailQueue: [
    {
      input: {
        filter: {
          ...{ ids: ['4jbtcD1XDvzJDKm'], sender: 'info@bob.example', recipientDomain: 'elsewhere.example' },
          ...{ onHold: false, arrivedBefore: 5, uids: [20_001] },
        },
        limit: 100,
        after: { arrivedAt: 1, id: '4jbtcD1MCRzJDLg' },
      },
      result: {
        items: [
          {
            ...{ id: '4jbtcD1XDvzJDKm', from: 'info@bob.example', to: ['a@elsewhere.example'], recipients: 1, size: 5 },
            ...{ arrivedAt: 2, nextAttemptAt: 3, reason: 'A reason.', uid: 20_001, onHold: false, attempts: 2 },
          },
        ],
        total: 1,
        more: false,
      },
    },
  ],
  mailTrace: [
    {
      input: {
        ...{ address: 'info@', with: 'elsewhere.example', since: 1, direction: 'in', uids: [20_001], limit: 100 },
        ...{ after: { at: 5, n: 9 }, days: 14 },
      },
      result: {
        items: [
          {
            ...{ n: 8, at: 4, uid: 20_001, direction: 'in', from: '', to: 'info@bob.example', size: 5 },
            ...{ client: '203.0.113.9', score: -0.5, outcome: 'delivered', mailbox: 'info@bob.example' },
            ...{ remoteHost: 'mx.elsewhere.example', answer: '250 Ok', queueId: '4jbtcD1XDvzJDKm' },
          },
        ],
        more: false,
      },
    },
  ],
  changeMailQueue: [
    {
      input: { change: 'delete', filter: { ids: ['4jbtcD1XDvzJDKm'] } },
      result: { matched: 1, changed: 0, gone: ['4jbtcD1XDvzJDKm'] },
    },
  ],
  canSendMail: [{ input: {}, result: { ready: true } }],
  testRelay: [
    {
      input: {
        ...{ host: 'smtp.relay.example', port: 587, tls: 'starttls', username: 'AKIA1', password: 'relay-password-1' },
        ...{ id: idOf(9), name: 'ses', at: 5, hostname: 'panel.example' },
        ...{ from: 'postmaster@bob.example', to: 'carol@elsewhere.example' },
      },
      result: { accepted: false, answers: ['connected: 554 No', 'The relay refused it.'] },
    },
  ],
  sendMail: [{ input: { id: idOf(9), to: 'bob@elsewhere.example', message: 'Subject: x\n\nx\n' }, result: null }],
}
