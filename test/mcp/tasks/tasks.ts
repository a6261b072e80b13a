/** A task as a person words it, and what solves it. */
export interface Task {
  readonly task: string
  /** What is looked for. */
  readonly query: string
  /** The operation that its hits must contain. */
  readonly operation: string
  /** The name of what it is about, and the parameter that takes its id. */
  readonly find?: readonly [name: string, kind: string, parameter: string]
  readonly input?: Readonly<Record<string, unknown>>
}

export const tasks: readonly Task[] = [
  { task: 'Which accounts are there?', query: 'list accounts', operation: 'listAccounts' },
  {
    task: 'How much does alice use?',
    query: 'usage of an account',
    operation: 'getAccountUsage',
    find: ['alice', 'account', 'id'],
  },
  {
    task: 'alice has not paid',
    query: 'suspend account',
    operation: 'suspendAccount',
    find: ['alice', 'account', 'id'],
    input: { reason: 'unpaid' },
  },
  {
    task: 'alice has paid',
    query: 'unsuspend account',
    operation: 'unsuspendAccount',
    find: ['alice', 'account', 'id'],
  },
  {
    task: "alice's contact address changed",
    query: 'change contact email of account',
    operation: 'updateAccount',
    find: ['alice', 'account', 'id'],
    input: { contact_email: 'new@ext.example' },
  },
  {
    task: 'A new customer',
    query: 'create hosting account',
    operation: 'createAccount',
    input: { username: 'carol', domain: 'carol.example' },
  },
  {
    task: 'alice needs a second domain',
    query: 'add domain',
    operation: 'createDomain',
    find: ['alice', 'account', 'id'],
    input: { name: 'second.example' },
  },
  {
    task: "alice's domains",
    query: 'list domains of account',
    operation: 'listDomains',
    find: ['alice', 'account', 'id'],
  },
  { task: "alice's DNS zones", query: 'dns zones', operation: 'listDnsZones', find: ['alice', 'account', 'id'] },
  {
    task: 'Records of a zone',
    query: 'list dns records',
    operation: 'listDnsRecords',
    find: ['alice.example', 'zone', 'zid'],
  },
  {
    task: 'A TXT record',
    query: 'create dns record',
    operation: 'createDnsRecord',
    find: ['alice.example', 'zone', 'zid'],
    input: { name: 'check', type: 'TXT', value: 'hello' },
  },
  {
    task: 'A mailbox for alice',
    query: 'create mailbox',
    operation: 'createMailbox',
    find: ['alice', 'account', 'id'],
    input: { address: 'info@alice.example', quota_mb: 100 },
  },
  {
    task: 'Forward sales mail',
    query: 'create mail forwarder',
    operation: 'createForwarder',
    find: ['alice', 'account', 'id'],
    input: { address: 'sales@alice.example', destinations: ['x@ext.example'] },
  },
  {
    task: 'A database for alice',
    query: 'new mysql database',
    operation: 'createDatabase',
    find: ['alice', 'account', 'id'],
    input: { name: 'shop' },
  },
  { task: "alice's cron jobs", query: 'cron jobs', operation: 'listCronJobs', find: ['alice', 'account', 'id'] },
  {
    task: 'Back alice up',
    query: 'create a backup of account',
    operation: 'createBackup',
    find: ['alice', 'account', 'id'],
    input: { parts: ['config'] },
  },
  { task: "alice's backups", query: 'list backups', operation: 'listBackups', find: ['alice', 'account', 'id'] },
  { task: 'A larger plan', query: 'create package', operation: 'createPackage', input: { name: 'large', max_sql: 10 } },
  { task: 'What needs attention?', query: 'notices attention', operation: 'listNotices' },
  { task: 'Who changed what?', query: 'audit changes', operation: 'listAudit' },
]
