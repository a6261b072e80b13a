import { exampleOf } from '../events.ts'
import { entryOf } from '../webhooks.ts'
import type { Json } from './schemas.ts'

const id = '01K9ZQ5T3M8V4X7C2B6N1D0FGH'
const webhookSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
const { server: _server, ...suspended } = exampleOf('account.suspended')

const figure = (used: number, limit?: number) => ({ used, ...(limit === undefined ? {} : { limit }) })

const smtpRelay = { name: 'ses', host: 'smtp.relay.example', port: 587, tls: 'starttls' }

const wordpressSite = {
  id,
  account_id: id,
  domain_id: id,
  domain: 'shop.example',
  path: '/blog',
  version: '6.8.1',
  php_version: '8.4',
  url: 'https://shop.example/blog',
  admin_url: 'https://shop.example/blog/wp-admin/',
  db: 'alice_wp',
  table_prefix: 'wp_',
  multisite: false,
  updates: { plugins: 0, themes: 0 },
  auto_update: 'minor',
  window: { day: 2, hour: 3 },
  environment: 'production',
  status: 'active',
  health: { warnings: 0, errors: 0 },
  last_checked_at: 1_763_640_000_000,
  created_at: 1_763_640_000_000,
}

/** Complete examples of named schemas whose fields would not make sense if generated separately. */
const COMPLETE_EXAMPLES: Readonly<Record<string, unknown>> = {
  Event: { ...suspended, seq: 1042 },
  AddFirewallRule: { action: 'allow', port: 8443, proto: 'tcp', from: '203.0.113.0/24', comment: 'Backups' },
  CreateSmtpRelay: { ...smtpRelay, username: 'AKIA1', password: 'vN3pQ8sT2xW6', for: 'server' },
  UpdateSmtpRelay: { port: 2525 },
  TestSmtpRelay: { to: 'me@elsewhere.example' },
  SmtpRelay: {
    ...{ id, ...smtpRelay, username: 'AKIA1', for: { domains: [id] }, status: 'active' },
    ...{ created_at: 1_763_640_000_000, updated_at: 1_763_640_000_000 },
  },
  EventType: entryOf('account.suspended'),
  FeatureSwitches: { api_tokens: true, webmail: true, ssh: false },
  Node: {
    id,
    name: 'web2',
    roles: ['web', 'db', 'mail'],
    labels: ['ssd'],
    addresses: ['192.0.2.12'],
    state: 'active',
    accounts: 120,
    disk_free_mb: 812_000,
    version: '1.0.0',
    last_seen: 1_763_640_000_000,
    certificate_expires_at: 1_771_416_000_000,
    created_at: 1_763_640_000_000,
    joined_at: 1_763_640_000_000,
  },
  JoiningNode: {
    join_line:
      'echo 9f86d081884c7d659a2feaa0c55ad015 | panel host join panel.example.com:7712 --node 01K9ZQ5T3M8V4X7C2B6N1D0FGH --pin 2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
    join_expires_at: 1_763_640_900_000,
    node: {
      id,
      name: 'web2',
      roles: ['web', 'db', 'mail'],
      labels: [],
      addresses: [],
      state: 'joining',
      accounts: 0,
      created_at: 1_763_640_000_000,
    },
  },
  WordpressSite: wordpressSite,
  WordpressSiteOfAccount: { ...wordpressSite, username: 'alice' },
  InstallWordpress: {
    domain_id: id,
    path: '/blog',
    title: 'Shop',
    admin_user: 'ed',
    admin_email: 'ed@shop.example',
  },
  UpdateWordpress: { core: true, plugins: ['akismet'], themes: 'all', safe: true, pages: ['/shop/'] },
  SetWordpressMaintenance: { enabled: true },
  UpdateWordpressSettings: { auto_update: 'minor', window: { day: 2, hour: 3 } },
  CreateNode: { name: 'web2', roles: ['web', 'db', 'mail'] },
  CreateDnsPeer: { name: 'ns2', address: ['192.0.2.53'] },
  DnsPeer: { id, name: 'ns2', addresses: ['192.0.2.53'], created_at: 1_763_640_000_000 },
  UpdateNode: { labels: ['ssd'], addresses: ['192.0.2.12'] },
  NodeCandidate: { node: 'web2', accounts: 120 },
  NodePlacement: { node: 'web2', items: [{ node: 'web2', accounts: 120 }] },
  NodeTarget: { targets: ['192.0.2.12:9100'], labels: { node: 'web2', roles: 'web,db,mail' } },
  UpdateAccount: { contact_email: 'alice@example.com', disk_quota_mb: 5000 },
  ChmodFile: { path: 'sites/alice.example/cgi-bin/run', mode: '0755' },
  CopyFile: { from: 'sites/alice.example', to: 'sites/copy' },
  MakeDirectory: { path: 'sites/alice.example/public/img' },
  MoveFile: { from: 'old.html', to: 'new.html' },
  FileEntry: {
    name: 'index.html',
    path: 'sites/alice.example/public/index.html',
    type: 'file',
    size: 1432,
    mode: '0644',
    modified_at: 1_763_640_000_000,
    etag: '"2wn-13s-k9x1-k9x1"',
  },
  CreateUpload: { size: 1_048_576, name: 'site.zip' },
  SaveUpload: { path: 'sites/site.zip' },
  Upload: {
    id,
    name: 'site.zip',
    size: 1_048_576,
    offset: 524_288,
    created_at: 1_763_640_000_000,
    expires_at: 1_763_726_400_000,
  },
  TrashItem: {
    id,
    path: 'sites/alice.example/public/old.html',
    type: 'file',
    size: 1432,
    deleted_at: 1_763_640_000_000,
  },
  UpdatePackage: { disk_quota_mb: 2000 },
  AccountUsage: {
    measured_at: 1_763_640_000_000,
    disk_mb: figure(214, 1000),
    inodes: figure(5120),
    bandwidth_mb: figure(310, 10_000),
    databases: figure(1, 5),
    email_accounts: figure(3, 10),
    ftp_accounts: figure(0, 5),
    addon_domains: figure(0, 2),
    sub_domains: figure(1),
    parked_domains: figure(0),
  },
  Session: {
    authenticated: true,
    acting_as: false,
    force_password_change: false,
    is_root: true,
    mfa_required: false,
    two_factor_enabled: true,
    two_factor_setup_required: false,
    csrf_token: 'Zk3v0QqXw7mYd2RtB8sLfJ5nHc1uPgKe',
    expires_at: 1_763_668_800_000,
    username: 'root',
    role: 'root',
  },
  UpdateSettings: { two_factor_required: 'admins' },
  CreateReseller: { account_id: id, acl: ['list-accts', 'create-acct', 'suspend-acct'] },
  UpdateReseller: { max_accounts: 50, nameservers: ['ns1.alice.example', 'ns2.alice.example'] },
  SetAcl: { acl: ['list-accts', 'create-acct', 'suspend-acct'] },
  UpdateAcl: { acl: ['list-accts', 'passwd'] },
  CreateForwarder: { address: 'sales@alice.example', destinations: ['bob@ext.example', 'info@alice.example'] },
  MailFilter: {
    name: 'Invoices',
    match: 'any',
    when: [{ field: 'subject', test: 'contains', value: 'invoice' }],
    then: [{ action: 'move', folder: 'Office/Invoices' }],
    stop: true,
  },
  UpdateForwarder: { destinations: ['bob@ext.example'] },
  Forwarder: {
    id,
    address: 'sales@alice.example',
    domain: 'alice.example',
    destinations: ['bob@ext.example', 'info@alice.example'],
    keep_copy: true,
    status: 'active',
    created_at: 1_763_640_000_000,
  },
  SetAutoresponder: { subject: 'Away', body: 'Back on Monday.', starts_on: '2026-08-01', ends_on: '2026-08-15' },
  Autoresponder: {
    enabled: true,
    subject: 'Away',
    body: 'Back on Monday.',
    starts_on: '2026-08-01',
    ends_on: '2026-08-15',
    interval_days: 1,
  },
  SetDkim: { enabled: true },
  SetMtaSts: { mode: 'testing' },
  SetDomainRelay: {
    ...{ host: 'smtp.office.example', port: 465, tls: 'tls' },
    ...{ username: 'alice', password: 'correct horse battery' },
  },
  DomainRelay: {
    ...{ domain: 'alice.example', host: 'smtp.office.example', port: 465, tls: 'tls', username: 'alice', in_use: true },
    ...{ created_at: 1_763_640_000_000, updated_at: 1_763_640_000_000 },
  },
  MtaSts: {
    domain: 'alice.example',
    mode: 'testing',
    proven: true,
    mx: ['mail.alice.example'],
    policy_id: '1763640000',
    max_age: 86_400,
    url: 'https://mta-sts.alice.example/.well-known/mta-sts.txt',
    record: { name: '_mta-sts.alice.example', value: 'v=STSv1; id=1763640000;' },
  },
  EmailDns: {
    domain: 'alice.example',
    checked_at: 1_763_640_000_000,
    records: [
      {
        kind: 'mx',
        name: 'alice.example',
        wanted: '0 mail.alice.example',
        found: ['0 mail.alice.example'],
        status: 'ok',
        advice: 'Mail for this domain has a server to go to.',
      },
      {
        ...{ kind: 'dmarc', name: '_dmarc.alice.example', wanted: 'v=DMARC1; p=none', found: [], status: 'missing' },
        advice: 'Large providers expect this record. Add the TXT record.',
      },
    ],
  },
  ChangeMailQueue: { ids: ['4jbtcD1XDvzJDKm'] },
  ChangeMailQueueOfAccount: { recipient_domain: 'shop.example', older_than_s: 3600 },
  TracedMessage: {
    at: 1_763_640_000_000,
    node: 'local',
    direction: 'in',
    from: 'bob@ext.example',
    to: 'info@shop.example',
    size: 2048,
    client: '192.0.2.25',
    spam_score: 1,
    outcome: 'delivered',
    mailbox: 'info@shop.example',
    answer: '250 2.0.0 <info@shop.example> Saved',
    queue_id: '4jbtcD1XDvzJDKm',
    account_id: id,
    username: 'alice',
  },
  QueuedMessage: {
    id: '4jbtcD1XDvzJDKm',
    node: 'local',
    from: 'info@alice.example',
    to: ['bob@shop.example'],
    recipients: 1,
    size: 2048,
    arrived_at: 1_763_640_000_000,
    next_attempt_at: 1_763_640_300_000,
    attempts: 2,
    reason: 'connect to mx.shop.example[192.0.2.25]:25: Connection timed out',
    account_id: id,
    username: 'alice',
    held: false,
  },
  SpamSettings: { filter: true, score: 6, box: true },
  SetSpamFilter: { enabled: true, score: 5 },
  SetSpamBox: { enabled: true },
  EmailUsage: {
    measured_at: 1_763_640_000_000,
    mailboxes: { used: 3, limit: 10 },
    sent_this_hour: { used: 14, limit: 200 },
  },
  SetMailRouting: { routing: 'remote' },
  SetCatchAll: { action: 'forward', destination: 'info@alice.example' },
  EmailDomain: {
    id,
    domain: 'alice.example',
    is_main: true,
    routing: 'auto',
    effective_routing: 'local',
    verified: true,
    catch_all: { action: 'forward', destination: 'info@alice.example' },
    dkim_enabled: true,
    dkim_selector: 'panel1',
    mailbox_count: 3,
    forwarder_count: 1,
    created_at: 1_763_640_000_000,
  },
  CreateMailbox: { address: 'info@alice.example', password: 'correct horse battery staple', quota_mb: 500 },
  ChangeMailboxPassword: { new_password: 'correct horse battery staple' },
  SuspendMailbox: { incoming: true },
  Mailbox: {
    id,
    address: 'info@alice.example',
    local_part: 'info',
    domain: 'alice.example',
    quota_mb: 500,
    used_bytes: 18_204_112,
    messages: 412,
    measured_at: 1_763_640_000_000,
    suspended_login: false,
    suspended_outgoing: false,
    suspended_incoming: false,
    autoresponder: false,
    password_changed_at: 1_763_640_000_000,
    status: 'active',
    created_at: 1_763_640_000_000,
  },
  MailboxClientConfig: {
    address: 'info@alice.example',
    login: 'info@alice.example',
    incoming: [{ protocol: 'imap', host: 'host.example', port: 993, security: 'tls' }],
    outgoing: [{ protocol: 'smtp', host: 'host.example', port: 465, security: 'tls' }],
    autoconfig: '<?xml version="1.0" encoding="UTF-8"?>',
    autodiscover: '<?xml version="1.0" encoding="UTF-8"?>',
    mobileconfig: '<?xml version="1.0" encoding="UTF-8"?>',
  },
  Database: {
    id,
    name: 'alice_shop',
    collation: 'utf8mb4_unicode_ci',
    used_bytes: 5_242_880,
    measured_at: 1_763_640_000_000,
    users: [{ id, name: 'alice_app', privileges: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] }],
    status: 'active',
    created_at: 1_763_640_000_000,
  },
  DatabaseUser: {
    id,
    name: 'alice_app',
    databases: [{ id, name: 'alice_shop', privileges: ['ALL'] }],
    password_changed_at: 1_763_640_000_000,
    status: 'active',
    created_at: 1_763_640_000_000,
  },
  DatabaseHost: { id, host: '198.51.100.0/24', status: 'active', created_at: 1_763_640_000_000 },
  MysqlServer: {
    host: 'localhost',
    port: 3306,
    prefix: 'alice_',
    max_database_name: 64,
    max_user_name: 32,
    databases: figure(1, 5),
  },
  CreateDatabase: { name: 'shop' },
  CreateDatabaseUser: { name: 'app', password: 'correct horse battery staple' },
  DatabaseUserPassword: { new_password: 'correct horse battery staple' },
  SetDatabaseGrant: { privileges: ['SELECT', 'INSERT'] },
  CreateDatabaseHost: { host: '198.51.100.0/24' },
  FtpAccount: {
    id,
    login: 'deploy@alice.example',
    domain: 'alice.example',
    directory: 'sites/alice.example/public',
    quota_mb: 1000,
    password_changed_at: 1_763_640_000_000,
    status: 'active',
    created_at: 1_763_640_000_000,
  },
  FtpServer: { host: 'host.example', ftp_port: 21, sftp_port: 2222, quota_enforced: false },
  FtpSession: {
    login: 'deploy@alice.example',
    address: '203.0.113.7',
    protocol: 'sftp',
    since_at: 1_763_640_000_000,
  },
  CreateFtpAccount: { login: 'deploy@alice.example', password: 'correct horse battery staple', quota_mb: 1000 },
  UpdateFtpAccount: { directory: 'data/in', quota_mb: 500 },
  FtpPassword: { new_password: 'correct horse battery staple' },
  CreateAccount: {
    username: 'alice',
    domain: 'alice.example',
    password: 'correct horse battery staple',
    contact_email: 'alice@example.com',
    package_id: id,
  },
}

/** How the example of one operation's response differs. */
const differences: Readonly<Record<string, Json>> = {
  createAccount: { account: { status: 'provisioning', disk_used_mb: 0, inodes_used: 0, bw_used_month_mb: 0 } },
  suspendAccount: { account: { status: 'suspended', suspend_reason: 'unpaid', suspended_by: 'root' } },
  terminateAccount: { account: { status: 'terminating' } },
  getUserSession: { is_root: false, username: 'alice', role: 'customer' },
  signInUser: { is_root: false, username: 'alice', role: 'customer' },
  completeSignInUser: { is_root: false, username: 'alice', role: 'customer' },
  suspendReseller: { suspended: true, suspend_reason: 'unpaid' },
  updateSettings: { two_factor_required: 'admins' },
  cancelJob: { job: { status: 'cancelled', progress_pct: 0 } },
}

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const merge = (base: unknown, over: unknown): unknown =>
  isObject(base) && isObject(over)
    ? { ...base, ...Object.fromEntries(Object.entries(over).map(([key, value]) => [key, merge(base[key], value)])) }
    : over

/**
 * Example values, by `Schema.field` or by field; the first valid one is used. Optional fields not listed here are
 * omitted.
 */
const samples: Readonly<Record<string, readonly unknown[]>> = {
  id: [id],
  username: ['alice'],
  main_domain: ['alice.example'],
  domain: ['alice.example'],
  status: ['active', 'succeeded'],
  contact_email: ['alice@example.com'],
  acme_directory_url: ['https://acme-v02.api.letsencrypt.org/directory'],
  acme_contact_email: ['admin@example.com'],
  server_contact_email: ['admin@example.com'],
  mail_from: ['noreply@host.example'],
  update_source: ['https://updates.example.com/panel.json'],
  wordpress_source: ['https://mirror.example.com/wordpress'],
  acme_ca: [null],
  package_name: ['default'],
  owner: ['root'],
  owner_name: ['root'],
  principal_name: ['root'],
  ip_address: ['192.0.2.10'],
  address: ['192.0.2.10'],
  home_dir: ['/home/alice'],
  shell: ['/usr/sbin/nologin'],
  locale: ['en'],
  theme: ['default'],
  uid: [20001],
  db_prefix: ['alice_'],
  suspend_reason: [''],
  reason: ['unpaid'],
  disk_quota_mb: [1000],
  bw_limit_mb: [10000],
  max_email: [10],
  disk_used_mb: [214],
  inodes_used: [5120],
  bw_used_month_mb: [310],
  used: [214],
  limit: [1000],
  name: ['small'],
  'AuditEntry.name': ['root'],
  'Domain.name': ['shop.example'],
  'CreateDomain.name': ['shop.example'],
  name_unicode: ['shop.example'],
  names: [['shop.example', 'www.shop.example']],
  'Domain.kind': ['addon'],
  document_root: ['sites/shop.example/public'],
  import_dirs: [['/backup']],
  mcp_clients: [['assistant.example']],
  'CreateImport.path': ['/backup/cpmove-alice.tar.gz'],
  handler: ['php'],
  php_version: ['8.1'],
  effective_php_version: ['8.4'],
  default_php_version: ['8.4'],
  'InstalledPhp.version': ['8.4'],
  'InstalledPhp.end_of_life': ['2028-12-31'],
  extensions: [['imagick']],
  rule_id: [941_100],
  'WafException.path': ['/wp-admin'],
  'CreateWafException.path': ['/wp-admin'],
  parameter: ['content'],
  'Redirect.path': ['/old'],
  'CreateRedirect.path': ['/old'],
  target: ['https://new.example/'],
  'Redirect.status': [301],
  at: [1_763_640_000_000],
  'AclList.name': ['support'],
  'CreateAcl.name': ['support'],
  'Token.name': ['billing'],
  'TokenInfo.name': ['billing'],
  'CreateToken.name': ['billing'],
  'CreateAccountToken.name': ['deploy'],
  feature_list_name: ['default'],
  description: ['Billing system'],
  'Feature.description': ['API tokens, webhooks and the event feed'],
  'Privilege.description': ['See its accounts, their status and usage'],
  password_max_age_days: [365],
  prefix: ['pnl_7Hq2mZxA'],
  secret: ['pnl_7Hq2mZxAc9Kd4RtY1uLw8PbNs3VfGj6E0kXoQyTi'],
  'TotpSecret.secret': ['JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'],
  uri: ['otpauth://totp/panel:root?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=panel'],
  code: ['123456'],
  'ConfirmAlertChannel.token': ['s9TqVb2kXw7mYd4RtB8sLfJ5nHc1uPgKe'],
  'CreateAlertChannel.token': ['123456789:AAExampleExampleExampleExample'],
  'UpdateAlertChannel.token': ['123456789:AAExampleExampleExampleExample'],
  chat: ['-1001234567890'],
  topic: ['panel-alerts'],
  timezone: ['Europe/Berlin'],
  challenge: ['AZjOKq8A0Qk3c1RvY0dXN2x6bGZ5cQ'],
  rp_id: ['panel.example'],
  rpId: ['panel.example'],
  rawId: ['GJ2Xk0mPq9sTu1vW'],
  'PasskeyDescriptor.id': ['GJ2Xk0mPq9sTu1vW'],
  'PasskeyRegistration.id': ['GJ2Xk0mPq9sTu1vW'],
  'PasskeyAssertion.id': ['GJ2Xk0mPq9sTu1vW'],
  clientDataJSON: ['eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0'],
  attestationObject: ['o2NmbXRkbm9uZQ'],
  authenticatorData: ['SZYN5YgOjGh0NBcPZHZgW4'],
  signature: ['MEUCIQDx'],
  'Passkey.name': ['Laptop'],
  'NewPasskey.name': ['Laptop'],
  'AddPasskey.name': ['Laptop'],
  'RenamePasskey.name': ['Laptop'],
  recovery_codes: [['7f3k-9x2m', 'q4hd-81vz']],
  current: [true],
  current_password: ['correct horse battery staple'],
  password: ['correct horse battery staple'],
  user_agent: ['Mozilla/5.0'],
  acl: [['list-accts', 'create-acct', 'suspend-acct']],
  nameservers: [['ns1.alice.example', 'ns2.alice.example']],
  max_accounts: [50],
  valid_until: [1_798_761_600_000],
  valid: [true],
  'CreatedWebhook.secret': [webhookSecret],
  'RotatedWebhookSecret.secret': [webhookSecret],
  'Webhook.enabled': [true],
  duration_ms: [84],
  http_status: [200],
  response_start: ['ok'],
  since: [1_763_640_000_000],
  count: [3],
  scopes: [['accounts:write', 'packages:write'], ['dns:write']],
  allowed_ips: [['192.0.2.7']],
  expires_in: ['1y', 60],
  kind: ['account.create', 'admin', 'shared'],
  attempts: [1],
  max_attempts: [5],
  progress_pct: [100],
  started_at: [1_763_640_000_120],
  finished_at: [1_763_640_002_480],
  message: ['The home directory was made.'],
  level: ['info'],
  operation: ['suspendAccount'],
  request_id: ['01K9ZQ5T3M8V4X7C2B6N1D0FGQ'],
  new_password: ['correct horse battery staple'],
  next: [1042],
  total: [1],
  'Link.url': ['https://host.example:7711/api/v1/user/auth/sso?token=s9TqVb2kXw7mYd4RtB8sLfJ5nHc1uPgKe'],
  url: ['https://billing.example/hooks/panel'],
  events: [['account.*', 'job.*']],
  event_type: ['account.suspended'],
  object: ['account'],
  server: ['host.example'],
  hostname: ['host.example'],
  blocklists: [['bl.example']],
  available: [true],
  main: [true],
  version: [4],
  openapi: ['3.1.1'],
  goto: ['/user/domains', '/admin/accounts'],
  panel: ['user'],
  reset: [true],
}

/** Whether a value's type fits a field, as far as samples need it. */
function fits(schema: Json, value: unknown): boolean {
  if (Array.isArray(schema['anyOf'])) return schema['anyOf'].some((option) => fits(option as Json, value))
  if (schema['const'] !== undefined) return schema['const'] === value
  if (Array.isArray(schema['enum'])) return schema['enum'].includes(value)
  if (schema['type'] === 'array')
    return Array.isArray(value) && value.every((item) => fits(schema['items'] as Json, item))
  if (schema['type'] === 'integer' || schema['type'] === 'number') return typeof value === 'number'
  if (typeof schema['pattern'] === 'string' && !new RegExp(schema['pattern'], 'u').test(String(value))) return false
  return typeof value === schema['type']
}

const filler = (schema: Json): unknown => {
  if (schema['pattern'] !== undefined) return id
  const kinds: Record<string, unknown> = { boolean: false, integer: schema['minimum'] ?? 0, string: 'text', number: 0 }
  return kinds[String(schema['type'])] ?? null
}

/** Makes examples that satisfy their schemas. */
export class Examples {
  readonly #schemas: Record<string, Json>

  constructor(schemas: Record<string, Json>) {
    this.#schemas = schemas
  }

  /** An example of one operation's response. */
  ofAnswer(schema: Json, operation: string): unknown {
    const example = this.of(schema)
    return merge(example, differences[operation] ?? example)
  }

  /** An example of a schema, or of the field `name` in it. */
  of(schema: Json, owner = '', name = ''): unknown {
    const sample = this.#sample(schema, owner, name)
    if (sample !== undefined) return sample
    if (typeof schema['$ref'] === 'string') return this.#ofNamed(schema['$ref'].slice('#/components/schemas/'.length))
    if (schema['type'] === 'object') return this.#ofObject(schema, owner)
    if (schema['type'] === 'array') return [this.of(schema['items'] as Json, owner)]
    return this.#ofScalar(schema, owner)
  }

  #sample(schema: Json, owner: string, name: string): unknown {
    const candidates = samples[`${owner}.${name}`] ?? samples[name] ?? []
    return candidates.find((value) => fits(schema, value))
  }

  #ofNamed(name: string): unknown {
    return COMPLETE_EXAMPLES[name] ?? this.of(this.#schemas[name]!, name)
  }

  #ofObject(schema: Json, owner: string): Json {
    const fields = Object.entries((schema['properties'] ?? {}) as Record<string, Json>)
    const required = (schema['required'] ?? []) as string[]
    const visible = fields.filter(
      ([name, field]) => required.includes(name) || this.#sample(field, owner, name) !== undefined,
    )
    return Object.fromEntries(visible.map(([name, field]) => [name, this.#ofField(field, owner, name)]))
  }

  #ofField(schema: Json, owner: string, name: string): unknown {
    return name.endsWith('_at') && samples[name] === undefined ? 1_763_640_000_000 : this.of(schema, owner, name)
  }

  #ofScalar(schema: Json, owner: string): unknown {
    if (schema['default'] !== undefined) return schema['default']
    if (schema['const'] !== undefined) return schema['const']
    if (Array.isArray(schema['enum'])) return schema['enum'][0]
    if (Array.isArray(schema['anyOf'])) return this.of(schema['anyOf'][0] as Json, owner)
    return filler(schema)
  }
}
