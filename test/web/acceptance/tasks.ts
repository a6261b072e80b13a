import { png } from '../../resellers/images.ts'
import type { Part } from '../visitor.ts'
import type { Step } from './walk.ts'

/** A task that people come for, starting from their home page. */
export interface Task {
  readonly what: string
  readonly steps: readonly Step[]
  /** Its results: event types and jobs. */
  readonly events?: readonly string[]
  readonly jobs?: readonly string[]
}

const secret = 'a password of its own'
const done = (job: string, ...events: string[]): Pick<Task, 'events' | 'jobs'> => ({
  events: [...events, 'job.completed'],
  jobs: [`${job} succeeded`],
})
const completed = (count: number): string[] => Array<string>(count).fill('job.completed')
/** The name servers of other nodes serve it too. */
const ofZone = (job: string, ...events: string[]): Pick<Task, 'events' | 'jobs'> => ({
  events: [...events, ...completed(2)],
  jobs: [`${job} succeeded`, 'dns.served.apply succeeded'],
})
/** A server job tells other name servers of an added or removed zone. */
const ofServer = (job: string, ...events: string[]): Pick<Task, 'events' | 'jobs'> => ({
  events: [...events, ...completed(3)],
  jobs: [`${job} succeeded`, 'dns.served.apply succeeded', 'server.apply succeeded'],
})
/** A file instead of what a script would send. */
const sendFile = (op: string, file: Part, typed: Readonly<Record<string, string>> = {}): Step => ({
  send: op,
  typed,
  file,
})
const go = (...addresses: string[]): Step[] => addresses.map((address) => ({ go: address }))
const send = (op: string, typed: Readonly<Record<string, string>> = {}): Step => ({ send: op, typed })

/** Names that the world of a task must have. */
export interface Named {
  readonly backup: string
  readonly record: string
  readonly job: string
  readonly webhook: string
  readonly delivery: string
  readonly package: string
  readonly domain: string
  /** A backup that includes files. */
  readonly files: string
  readonly archive: Buffer
}

export const ofCustomer = (at: Named): readonly Task[] => [
  {
    what: '1 add a mailbox',
    ...done('email.account.create', 'email.account.created'),
    steps: [
      ...go('/user/email', '/user/email/new'),
      send('createMailbox', { address: 'info@alice.example', password: secret }),
    ],
  },
  {
    what: "1 reset a mailbox's password",
    ...done('email.account.password'),
    steps: [
      ...go('/user/email', '/user/email/one%40alice.example'),
      send('changeMailboxPassword', { new_password: secret }),
    ],
  },
  {
    what: '1 set up a device',
    steps: [
      ...go('/user/email', '/user/email/one%40alice.example', '/user/email/one%40alice.example/devices'),
      { see: /993/ },
    ],
  },
  {
    what: '2 upload a file',
    steps: [
      ...go('/user/files'),
      { send: 'writeFile', typed: { name: 'notes.txt' }, file: { name: 'notes.txt', bytes: Buffer.from('text') } },
    ],
  },
  {
    what: '2 edit a file',
    steps: [...go('/user/files', '/user/file/page.html', '/user/edit/page.html'), send('writeFile', { text: '<h2>' })],
  },
  {
    what: '2 unpack a file',
    ...done('files.extract'),
    steps: [...go('/user/files', '/user/file/packed.tar.gz'), send('extractArchive', { to: 'tmp' })],
  },
  {
    what: '3 change a DNS record',
    ...ofZone('dns.zone.update', 'dns.record.updated'),
    steps: [
      ...go('/user/dns', '/user/dns/alice.example', `/user/dns/alice.example/records/${at.record}`),
      send('updateDnsRecord', { ttl: '600' }),
    ],
  },
  {
    what: '3 prove a domain to a third party',
    ...ofZone('dns.zone.update', 'dns.record.created'),
    steps: [
      ...go('/user/dns', '/user/dns/alice.example'),
      {
        send: 'changeDnsRecords',
        press: 'add',
        typed: { '_add.type': 'TXT', '_add.name': '@', '_add.value': 'proof=1' },
      },
      send('changeDnsRecords'),
    ],
  },
  {
    what: '4 see why the site is down',
    steps: [...go('/user/logs', '/user/logs/alice.example?kind=error'), { see: /No such file/ }],
  },
  {
    what: '4 see its status',
    steps: [...go('/user/domains', '/user/domains/alice.example'), { see: /Active/ }],
  },
  {
    what: '5 restore all from a backup',
    ...done('backup.restore'),
    steps: [
      ...go('/user/backups', `/user/backups/${at.backup}`, `/user/backups/${at.backup}/restore`),
      send('restoreBackup'),
    ],
  },
  {
    what: '5 restore one path from a backup',
    ...done('backup.restore'),
    steps: [...go('/user/backups', `/user/backups/${at.files}/restore`), send('restoreBackup', { paths: 'page.html' })],
  },
  {
    what: '6 forward an address',
    ...done('email.forwarder.create', 'email.forwarder.created'),
    steps: [
      ...go('/user/email/forwarders', '/user/email/forwarders/new'),
      send('createForwarder', { address: 'to@alice.example', destinations: 'else@other.example' }),
    ],
  },
  {
    what: '6 answer while away',
    ...done('email.account.update'),
    steps: [
      ...go('/user/email', '/user/email/one%40alice.example', '/user/email/one%40alice.example/autoresponder'),
      send('setAutoresponder', { subject: 'Away', body: 'Until Monday.' }),
    ],
  },
  {
    what: '7 add a domain',
    ...ofServer('domain.create', 'domain.created', 'dns.zone.created'),
    steps: [...go('/user/domains/new'), send('createDomain', { name: 'more.example', kind: 'addon' })],
  },
  {
    what: '7 add a subdomain',
    ...ofZone('domain.create', 'domain.created', 'dns.record.created'),
    steps: [...go('/user/domains/new'), send('createDomain', { name: 'shop.alice.example', kind: 'sub' })],
  },
  {
    what: '7 get its certificate',
    ...done('ssl.issue', 'ssl.installed'),
    steps: [...go('/user/ssl', '/user/ssl/issue'), send('issueCertificate', { domain_id: at.domain })],
  },
  {
    what: '8 open phpMyAdmin',
    steps: [
      ...go('/user/mysql', '/user/mysql/alice_given'),
      send('createPhpMyAdminLink'),
      { see: /https:\/\/phpmyadmin\.host\.example\/open\?token=/ },
    ],
  },
  {
    what: '8 create a database',
    ...done('mysql.database.create', 'mysql.database.created'),
    steps: [...go('/user/mysql', '/user/mysql/new'), send('createDatabase', { name: 'shop' })],
  },
  {
    what: '8 create a database user',
    ...done('mysql.user.create', 'mysql.user.created'),
    steps: [
      ...go('/user/mysql', '/user/mysql/users', '/user/mysql/users/new'),
      send('createDatabaseUser', { name: 'shop', password: secret }),
    ],
  },
  { what: '9 see an app and its releases', steps: [...go('/user/apps', '/user/apps/given'), { see: /Releases/ }] },
  {
    what: '9 deploy an app',
    ...done('app.deploy', 'app.deploy_started'),
    steps: [...go('/user/apps', '/user/apps/site'), sendFile('deployApp', { name: 'site.tar.gz', bytes: at.archive })],
  },
  {
    what: '9 roll an app back',
    ...done('app.rollback', 'app.rolled_back'),
    steps: [...go('/user/apps', '/user/apps/site'), send('rollbackApp')],
  },
  {
    what: '9 set its environment',
    ...done('app.apply'),
    steps: [
      ...go('/user/apps', '/user/apps/given', '/user/apps/given/env'),
      send('setAppEnv', { 'set.0.name': 'COLOUR', 'set.0.value': 'blue' }),
    ],
  },
  {
    what: '10 give FTP access',
    ...done('ftp.account.create', 'ftp.account.created'),
    steps: [
      ...go('/user/ftp', '/user/ftp/new'),
      send('createFtpAccount', { login: 'deploy@alice.example', password: secret }),
    ],
  },
  {
    what: '10 give SSH access',
    ...done('ssh.apply'),
    steps: [
      ...go('/user/ftp', '/user/ssh/keys', '/user/ssh/keys/new'),
      send('addSshKey', {
        name: 'laptop',
        public_key: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIM4Em3QGyBMpT0Xr4xXyWw5Tcm2b0hXq9Xo3mB0o9nJd',
      }),
    ],
  },
  {
    what: '10 schedule a command',
    ...done('cron.apply'),
    steps: [...go('/user/cron', '/user/cron/new'), send('createCronJob', { schedule: '@daily', command: 'true' })],
  },
  { what: '10 see the usage', steps: [...go('/user/logs', '/user/usage'), { see: /Usage/ }] },
  {
    what: '10 make an API token',
    steps: [
      ...go('/user/tokens', '/user/tokens/new'),
      send('createTokenForAccount', { name: 'script', scopes: 'read-only' }),
      { see: /pnl_/ },
    ],
  },
]

const tokenOfAdmins = (number: number): Task => ({
  what: `${number} make an API token`,
  steps: [
    ...go('/admin/tokens', '/admin/tokens/new'),
    send('createToken', { name: 'script', scopes: 'read-only' }),
    { see: /pnl_/ },
  ],
})

export const ofReseller = (at: Named): readonly Task[] => [
  {
    what: '1 find an account by name',
    steps: [...go('/admin/search'), { find: 'carol' }, ...go('/admin/accounts/carol')],
  },
  {
    what: '1 find an account by domain',
    steps: [...go('/admin/search'), { find: 'carol.ex' }, ...go('/admin/accounts/carol/domains/carol.example')],
  },
  {
    what: '4 create an account',
    ...ofServer('account.create', 'account.created'),
    steps: [
      ...go('/admin/accounts', '/admin/accounts/new'),
      send('createAccount', { username: 'erin', domain: 'erin.example' }),
    ],
  },
  {
    what: '3 suspend with a reason',
    ...done('account.suspend', 'account.suspended'),
    steps: [
      ...go('/admin/accounts', '/admin/accounts/carol', '/admin/accounts/carol/settings'),
      send('suspendAccount', { reason: 'unpaid' }),
    ],
  },
  {
    what: '3 unsuspend',
    ...done('account.unsuspend', 'account.unsuspended'),
    steps: [
      ...go('/admin/accounts', '/admin/accounts/carol', '/admin/accounts/carol/settings'),
      send('unsuspendAccount'),
    ],
  },
  {
    what: '5 change one limit',
    ...done('account.update', 'account.limits_changed'),
    steps: [
      ...go('/admin/accounts', '/admin/accounts/carol', '/admin/accounts/carol/settings'),
      send('updateAccount', { max_sql: '7' }),
    ],
  },
  {
    what: '5 change the package',
    ...done('account.change_package'),
    steps: [
      ...go('/admin/accounts', '/admin/accounts/carol', '/admin/accounts/carol/settings'),
      send('changeAccountPackage', { package_id: at.package }),
    ],
  },
  {
    what: '6 set a new password',
    events: ['account.password_changed'],
    steps: [
      ...go('/admin/accounts', '/admin/accounts/carol', '/admin/accounts/carol/settings'),
      send('changeAccountPassword', { new_password: secret }),
    ],
  },
  {
    what: '7 see who is near a limit',
    steps: [...go('/admin/accounts', '/admin/accounts?over_quota=true'), { see: /Over quota/ }],
  },
  {
    what: '7 see who is near a limit of traffic',
    steps: [
      ...go('/admin/notices'),
      { see: /carol [\s\S]{0,80}The account uses 1001 of 1000 MB of bandwidth this month/ },
    ],
  },
  {
    what: '7 see the usage of a customer',
    steps: [
      ...go('/admin/accounts/carol', '/admin/accounts/carol/logs', '/admin/accounts/carol/usage'),
      { see: /Disk/ },
    ],
  },
  {
    what: "8 do a customer's task: add a mailbox",
    ...done('email.account.create', 'email.account.created'),
    steps: [
      ...go('/admin/accounts/carol', '/admin/accounts/carol/email', '/admin/accounts/carol/email/new'),
      send('createMailbox', { address: 'info@carol.example', password: secret }),
    ],
  },
  {
    what: '9 edit a package',
    ...done('package.apply', 'package.updated'),
    steps: [...go('/admin/packages', '/admin/packages/hers'), send('updatePackage', { max_sql: '9' })],
  },
  {
    what: '10 name and nameservers',
    steps: [
      ...go('/admin/brand'),
      send('updateReseller', { 'brand.name': 'Rita Hosting', nameservers: 'ns1.rita.example\nns2.rita.example' }),
      { see: /Rita Hosting/ },
    ],
  },
  {
    what: '10 logo',
    steps: [...go('/admin/brand'), sendFile('setBrandLogo', { name: 'logo.png', bytes: png(16, 16) })],
  },
  tokenOfAdmins(10),
  {
    what: '2 log in as the customer',
    steps: [...go('/admin/accounts', '/admin/accounts/carol'), send('loginAsAccount')],
  },
]

const found = ({ job }: Named): readonly Task[] =>
  (
    [
      ['an account', 'alic', '/admin/accounts/alice'],
      ['a domain', 'alice.ex', '/admin/accounts/alice/domains/alice.example'],
      ['a mailbox', 'one@', '/admin/accounts/alice/email/one%40alice.example'],
      ['a job', job, `/admin/jobs/${job}`],
    ] as const
  ).map(([what, text, page]) => ({
    what: `1 find ${what}`,
    steps: [...go('/admin/search'), { find: text }, ...go(page)],
  }))

export const ofAdmin = (at: Named): readonly Task[] => [
  ...found(at),
  {
    what: '2 see what failed, and why',
    steps: [...go('/admin/jobs', '/admin/jobs?status=failed'), { see: /failed/i }],
  },
  {
    what: '2 see a delivery',
    steps: [
      ...go(
        '/admin/webhooks',
        `/admin/webhooks/${at.webhook}`,
        `/admin/webhooks/${at.webhook}/deliveries/${at.delivery}`,
      ),
      { see: /webhook\.ping/ },
    ],
  },
  {
    what: '2 see a certificate that failed, and why',
    steps: [
      ...go('/admin/notices', '/admin/accounts/alice/notices'),
      { see: /alice\.example [\s\S]{0,80}could not be validated: it answers elsewhere/ },
    ],
  },
  {
    what: '5 who is over a limit of disk space',
    steps: [...go('/admin/accounts', '/admin/accounts?over_quota=true'), { see: /Over quota/ }],
  },
  {
    what: '5 who is over a limit of traffic or files',
    steps: [
      ...go('/admin/notices'),
      { see: /bob [\s\S]{0,80}The account uses 1001 of 1000 MB of bandwidth this month/ },
      { see: /bob [\s\S]{0,80}The account uses (\d+) of \1 files and directories/ },
    ],
  },
  {
    what: '5 change a limit',
    ...done('account.update', 'account.limits_changed'),
    steps: [
      ...go('/admin/accounts', '/admin/accounts/alice', '/admin/accounts/alice/settings'),
      send('updateAccount', { max_sql: '7' }),
    ],
  },
  { what: '6 who changed what', steps: [...go('/admin/audit'), { see: /alice/ }] },
  {
    what: '7 packages',
    events: ['package.created'],
    steps: [...go('/admin/packages', '/admin/packages/new'), send('createPackage', { name: 'Large' })],
  },
  {
    what: '7 feature lists',
    steps: [
      ...go('/admin/packages', '/admin/feature-lists', '/admin/feature-lists/new'),
      send('createFeatureList', { name: 'Few' }),
    ],
  },
  {
    what: '7 a reseller and its rights',
    steps: [...go('/admin/resellers', '/admin/resellers/rolf'), send('setResellerAcl', { acl: 'list-accts' })],
  },
  tokenOfAdmins(8),
  {
    what: '8 webhooks',
    steps: [...go('/admin/webhooks', '/admin/webhooks/new'), send('createWebhook', { url: 'https://hooks.example/b' })],
  },
  {
    what: '9 restore an account',
    ...done('backup.restore'),
    steps: [
      ...go(
        '/admin/accounts/alice',
        '/admin/accounts/alice/backups',
        `/admin/accounts/alice/backups/${at.backup}/restore`,
      ),
      send('restoreBackup'),
    ],
  },
  {
    what: '9 restore an account as a new one',
    events: ['account.created', ...completed(4)],
    jobs: [
      'account.create succeeded',
      'dns.served.apply succeeded',
      'backup.restore succeeded',
      'server.apply succeeded',
    ],
    steps: [
      ...go('/admin/backups', `/admin/backups/${at.backup}`),
      send('restoreBackupAs', { username: 'again', domain: 'again.example' }),
    ],
  },
  { what: '10 host health', steps: [...go('/admin/host'), { see: /Host/ }] },
  { what: '10 drift', steps: [...go('/admin/host', '/admin/host/drift'), { see: /drift/i }] },
  { what: '10 updates: which version each machine runs', steps: [...go('/admin/nodes'), { see: /\d+\.\d+\.\d+/ }] },
  {
    what: '10 name of the server',
    steps: [...go('/admin/brand'), send('updateSettings', { 'brand.name': 'Root Hosting' }), { see: /Root Hosting/ }],
  },
  {
    what: '10 logo of the server',
    steps: [...go('/admin/brand'), sendFile('setServerLogo', { name: 'logo.png', bytes: png(16, 16) })],
  },
  { what: '10 settings', steps: [...go('/admin/settings'), { see: /Settings/ }] },
  { what: '10 IP addresses', steps: [...go('/admin/ips'), { see: /IP addresses/ }] },
  {
    what: '3 suspend, with a reason',
    ...done('account.suspend', 'account.suspended'),
    steps: [
      ...go('/admin/accounts', '/admin/accounts/bob', '/admin/accounts/bob/settings'),
      send('suspendAccount', { reason: 'abuse' }),
    ],
  },
  {
    what: '3 unsuspend',
    ...done('account.unsuspend', 'account.unsuspended'),
    steps: [...go('/admin/accounts', '/admin/accounts/bob', '/admin/accounts/bob/settings'), send('unsuspendAccount')],
  },
  {
    what: '3 terminate',
    ...ofServer('account.terminate', 'account.terminated'),
    steps: [
      ...go('/admin/accounts/bob', '/admin/accounts/bob/settings', '/admin/accounts/bob/settings?do=terminateAccount'),
      send('terminateAccount', { confirm: 'bob' }),
    ],
  },
  {
    what: '4 log in as an account',
    steps: [...go('/admin/accounts', '/admin/accounts/alice'), send('loginAsAccount')],
  },
]
