import { z } from 'zod'
import { Count, component, Id, LoginPassword, Millis } from '../common.ts'
import { accountObjects } from '../crud.ts'
import { operation } from '../operation.ts'
import { Address, access, area, emailStatuses, ended, jobId, ofAddresses } from './common.ts'
import { Forwarder } from './forwarders.ts'

export const Mailbox = component(
  'Mailbox',
  z.strictObject({
    id: Id,
    address: z.string(),
    local_part: z.string().describe('The part before the @'),
    domain: z.string(),
    quota_mb: Count.optional(),
    max_per_hour: Count.optional().describe('Recipients in an hour'),
    used_bytes: z.int().min(0),
    messages: z.int().min(0),
    measured_at: Millis,
    suspended_login: z.boolean(),
    suspended_outgoing: z.boolean(),
    suspended_incoming: z.boolean(),
    autoresponder: z.boolean().describe('Whether one is set up'),
    password_changed_at: Millis,
    status: z.enum(emailStatuses),
    created_at: Millis,
  }),
)

const Quota = z.int().min(1).max(1_000_000_000)
const quotaNote = "Space for its mail in MB; what the account's package gives, if not set"
const rateNote = 'Recipients in any 60 minutes'

const columns = ['address', 'quota_mb', 'used_bytes', 'suspended_login', 'status'] as const

const suspensions = ['address', 'suspended_login', 'suspended_outgoing', 'suspended_incoming', 'status'] as const

const mailboxes = accountObjects({
  one: 'Mailbox',
  many: 'Mailboxes',
  noun: 'mailbox',
  path: 'email/accounts',
  param: 'mid',
  area,
  resource: Mailbox,
  create: z.strictObject({
    address: Address.describe('The complete address, such as info@shop.example'),
    password: LoginPassword,
    quota_mb: Quota.optional().describe(quotaNote),
    max_per_hour: Count.optional().describe(rateNote),
  }),
  update: z.strictObject({
    quota_mb: Quota.nullable().optional().describe('Size in MB; null: unlimited'),
    max_per_hour: Count.nullable().optional().describe(`${rateNote}; null: unlimited`),
  }),
  read: access,
  change: access,
  words: ['email'],
  columns,
  jobs: { create: 'email.account.create', update: 'email.account.update', delete: 'email.account.delete' },
  emits: { create: ['email.account.created'], update: [], delete: ['email.account.deleted'] },
})

const feature = 'pop_accounts'
const example = 'info@alice.example'
const cli = <const W extends string>(verb: W, more = '') => ({
  words: ['email', verb] as const,
  variant: 'account' as const,
  columns,
  examples: [`panel email ${verb} ${example}${more}`] as const,
})
const changed = {
  area,
  params: mailboxes.get.params,
  status: 202,
  answer: mailboxes.update.answer,
  ...access,
} as const

export const listMailboxes = operation({
  ...mailboxes.list,
  summary: "List an account's mailboxes",
  description: "The address of the account's username at its main domain is not listed: it comes with the account.",
  query: ofAddresses,
  cli: {
    ...mailboxes.list.cli,
    examples: ['panel email list -a alice', 'panel email list -a alice --domain shop.example'],
  },
})

export const createMailbox = operation({
  ...mailboxes.create,
  secret: true,
  description: 'If creating it fails permanently, the mailbox is removed and its address is free again.',
  feature,
  problems: ['exists', 'limit-reached'],
  cli: {
    ...mailboxes.create.cli,
    args: ['address'],
    examples: [
      `panel email create ${example} --quota-mb 500 --password-stdin`,
      `panel email create ${example} -a alice --password-file pw`,
    ],
  },
})

export const getMailbox = operation({ ...mailboxes.get, cli: cli('show') })

export const updateMailbox = operation({
  ...mailboxes.update,
  feature,
  problems: ['limit-reached'],
  cli: { ...cli('update', ' --quota-mb 1000'), show: 'mailbox' },
})

export const deleteMailbox = operation({
  ...mailboxes.delete,
  description:
    'Its mail goes to the trash of the account. Refused while a catch-all needs it. Forwarders that lead to it stay: `forwarders` lists them, and mail for one that leads nowhere else is refused. Deleting it again in the meantime returns the same job.',
  answer: component(
    'MailboxDeleted',
    z.strictObject({
      mailbox: Mailbox,
      forwarders: z.array(Forwarder).describe('Those that lead to it'),
      job_id: jobId,
    }),
  ),
  problems: ['in-use'],
  cli: {
    ...cli('delete'),
    show: 'mailbox',
    sections: [{ field: 'forwarders', columns: ['address', 'destinations'] }],
    confirm: 'yes',
  },
})

export const changeMailboxPassword = operation({
  ...changed,
  id: 'changeMailboxPassword',
  secret: true,
  method: 'post',
  path: '/accounts/{id}/email/accounts/{mid}/password',
  summary: "Change a mailbox's password",
  description: 'Its open sessions end.',
  body: component('ChangeMailboxPassword', z.strictObject({ new_password: LoginPassword })),
  feature,
  job: 'email.account.password',
  emits: ended,
  cli: { ...cli('set-password', ' --password-stdin'), show: 'mailbox' },
})

export const suspendMailbox = operation({
  ...changed,
  id: 'suspendMailbox',
  method: 'post',
  path: '/accounts/{id}/email/accounts/{mid}/suspend',
  summary: 'Suspend a mailbox',
  description: 'Sets all three; what is left out has its default.',
  body: component(
    'SuspendMailbox',
    z.strictObject({
      login: z.boolean().optional().describe('No one can sign in (default: true)'),
      outgoing: z.boolean().optional().describe('It sends nothing (default: true)'),
      incoming: z.boolean().optional().describe('It receives nothing (default: false)'),
    }),
  ),
  job: 'email.account.update',
  emits: ended,
  cli: { ...cli('suspend', ' --incoming'), columns: suspensions, show: 'mailbox' },
})

export const unsuspendMailbox = operation({
  ...changed,
  id: 'unsuspendMailbox',
  method: 'post',
  path: '/accounts/{id}/email/accounts/{mid}/unsuspend',
  summary: 'Unsuspend a mailbox',
  job: 'email.account.update',
  emits: ended,
  cli: { ...cli('unsuspend'), columns: suspensions, show: 'mailbox' },
})

const Service = z.strictObject({
  protocol: z.enum(['imap', 'pop3', 'smtp']),
  host: z.string(),
  port: z.int(),
  security: z.enum(['tls', 'starttls']),
})

export const getMailboxClientConfig = operation({
  id: 'getMailboxClientConfig',
  method: 'get',
  path: '/accounts/{id}/email/accounts/{mid}/client-config',
  area,
  summary: 'Show the settings for a mail program',
  description: 'Without the password. The files are for Thunderbird, Outlook and the mail of Apple.',
  params: mailboxes.get.params,
  status: 200,
  answer: component(
    'MailboxClientConfig',
    z.strictObject({
      address: z.string(),
      login: z.string(),
      incoming: z.array(Service),
      outgoing: z.array(Service),
      autoconfig: z.string().describe('XML'),
      autodiscover: z.string().describe('XML'),
      mobileconfig: z.string().describe('XML'),
    }),
  ),
  ...access,
  cli: {
    ...cli('client-config'),
    columns: ['address', 'login'],
    sections: [
      { field: 'incoming', columns: ['protocol', 'host', 'port', 'security'] },
      { field: 'outgoing', columns: ['protocol', 'host', 'port', 'security'] },
    ],
    examples: [
      `panel email client-config ${example}`,
      `panel email client-config ${example} --select mobileconfig > info.mobileconfig`,
    ],
  },
})
