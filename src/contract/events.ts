import { z } from 'zod'
import { component, Id, importFormats, Millis, named, verificationMethods } from './common.ts'

const Ref = z.strictObject({ id: Id, name: z.string() })
const Nothing = z.strictObject({})
const Renamed = z.strictObject({ from: z.string(), to: z.string() })
const Change = z.strictObject({ from: z.int().optional(), to: z.int().optional() })
const Name = z.strictObject({ name: z.string() })
const Domain = z.strictObject({ domain: z.string() })
const DnsRecord = z.strictObject({ zone: z.string(), name: z.string(), type: z.string() })
const Address = z.strictObject({ address: z.string() })
const Reseller = z.strictObject({ username: z.string() })
const Release = z.strictObject({ name: z.string(), release: z.string() })

interface EventDeclaration {
  /** When it is emitted. */
  readonly summary: string
  /** Whether an account's webhooks and feed receive it. */
  readonly account: boolean
  /** The meaning of `data.object`. */
  readonly object: string
  /** `data.details`. */
  readonly details: z.ZodObject
  readonly example: Record<string, unknown>
}

const id = '01K9ZQ5T3M8V4X7C2B6N1D0FGH'

/** One event may stand for many. */
const Bans = z.strictObject({
  count: z.int().min(1).describe('How many'),
  bans: z
    .array(z.strictObject({ id: Id, address: z.string(), service: z.string(), until: Millis }))
    .max(100)
    .describe('The first 100 of them'),
})
const bans = [{ id, address: '203.0.113.7', service: 'ssh', until: 1_762_000_600_000 }]

/** Every event type (contract: Event types). */
export const events = {
  'security.banned': {
    summary: 'Addresses were banned',
    account: false,
    object: 'server',
    details: Bans,
    example: { count: 1, bans },
  },
  'security.unbanned': {
    summary: 'Bans were lifted before their time',
    account: false,
    object: 'server',
    details: Bans,
    example: { count: 1, bans },
  },
  'account.created': {
    summary: 'An account was created',
    account: true,
    object: 'account',
    details: z.strictObject({
      package: Ref,
      owner: Ref,
      import_id: Id.optional().describe('The import that made it, with all that came in'),
      from: z.enum(importFormats).optional().describe('The panel that it came from'),
    }),
    example: { package: { id, name: 'default' }, owner: { id, name: 'root' } },
  },
  'account.suspended': {
    summary: 'An account was suspended',
    account: true,
    object: 'account',
    details: z.strictObject({ reason: z.string(), locked: z.boolean() }),
    example: { reason: 'unpaid', locked: false },
  },
  'account.unsuspended': {
    summary: 'An account was unsuspended',
    account: true,
    object: 'account',
    details: Nothing,
    example: {},
  },
  'account.terminated': {
    summary: 'An account was terminated',
    account: false,
    object: 'account',
    details: Nothing,
    example: {},
  },
  'account.package_changed': {
    summary: 'An account was moved to another package',
    account: true,
    object: 'account',
    details: z.strictObject({ from: Ref, to: Ref }),
    example: { from: { id, name: 'small' }, to: { id, name: 'large' } },
  },
  'account.password_changed': {
    summary: "An account's password was changed",
    account: true,
    object: 'account',
    details: Nothing,
    example: {},
  },
  'account.renamed': {
    summary: "An account's username was changed",
    account: true,
    object: 'account',
    details: Renamed,
    example: { from: 'alice', to: 'alicia' },
  },
  'account.domain_changed': {
    summary: "An account's main domain was changed",
    account: true,
    object: 'account',
    details: Renamed,
    example: { from: 'alice.example', to: 'alicia.example' },
  },
  'account.limits_changed': {
    summary: "An account's quota or limits were changed",
    account: true,
    object: 'account',
    details: z.strictObject({
      changes: z.record(z.string(), Change).describe('Each changed limit, before and after; absent means unlimited'),
    }),
    example: { changes: { disk_quota_mb: { from: 1000, to: 5000 } } },
  },
  'domain.created': {
    summary: 'A domain was added',
    account: true,
    object: 'domain',
    details: Domain,
    example: { domain: 'shop.example' },
  },
  'domain.deleted': {
    summary: 'A domain was removed',
    account: true,
    object: 'domain',
    details: Domain,
    example: { domain: 'shop.example' },
  },
  'domain.verified': {
    summary: "A domain was shown to be the account's",
    account: true,
    object: 'domain',
    details: z.strictObject({ domain: z.string(), by: z.enum(verificationMethods) }),
    example: { domain: 'shop.example', by: 'ns' },
  },
  'dns.zone.created': {
    summary: 'A zone was created',
    account: true,
    object: 'zone',
    details: Name,
    example: { name: 'alice.example' },
  },
  'dns.zone.deleted': {
    summary: 'A zone was deleted',
    account: true,
    object: 'zone',
    details: Name,
    example: { name: 'alice.example' },
  },
  'dns.zone.reset': {
    summary: 'A zone was reset to the template',
    account: true,
    object: 'zone',
    details: Name,
    example: { name: 'alice.example' },
  },
  'dns.record.created': {
    summary: 'A record was added',
    account: true,
    object: 'record',
    details: DnsRecord,
    example: { zone: 'alice.example', name: 'www', type: 'A' },
  },
  'dns.record.updated': {
    summary: 'A record was changed',
    account: true,
    object: 'record',
    details: DnsRecord,
    example: { zone: 'alice.example', name: 'www', type: 'A' },
  },
  'dns.record.deleted': {
    summary: 'A record was deleted',
    account: true,
    object: 'record',
    details: DnsRecord,
    example: { zone: 'alice.example', name: 'www', type: 'A' },
  },
  'email.account.created': {
    summary: 'A mailbox was created',
    account: true,
    object: 'mailbox',
    details: Address,
    example: { address: 'info@alice.example' },
  },
  'email.account.deleted': {
    summary: 'A mailbox was deleted',
    account: true,
    object: 'mailbox',
    details: Address,
    example: { address: 'info@alice.example' },
  },
  'email.forwarder.created': {
    summary: 'A forwarder was created',
    account: true,
    object: 'forwarder',
    details: Address,
    example: { address: 'sales@alice.example' },
  },
  'email.forwarder.deleted': {
    summary: 'A forwarder was deleted',
    account: true,
    object: 'forwarder',
    details: Address,
    example: { address: 'sales@alice.example' },
  },
  'mysql.database.created': {
    summary: 'A database was created',
    account: true,
    object: 'database',
    details: Name,
    example: { name: 'alice_shop' },
  },
  'mysql.database.deleted': {
    summary: 'A database was deleted',
    account: true,
    object: 'database',
    details: Name,
    example: { name: 'alice_shop' },
  },
  'mysql.user.created': {
    summary: 'A database user was created',
    account: true,
    object: 'database_user',
    details: Name,
    example: { name: 'alice_shop' },
  },
  'mysql.user.deleted': {
    summary: 'A database user was deleted',
    account: true,
    object: 'database_user',
    details: Name,
    example: { name: 'alice_shop' },
  },
  'ftp.account.created': {
    summary: 'An FTP account was created',
    account: true,
    object: 'ftp_account',
    details: z.strictObject({ login: z.string() }),
    example: { login: 'deploy@alice.example' },
  },
  'ftp.account.deleted': {
    summary: 'An FTP account was deleted',
    account: true,
    object: 'ftp_account',
    details: z.strictObject({ login: z.string() }),
    example: { login: 'deploy@alice.example' },
  },
  'ssl.installed': {
    summary: 'A certificate was installed',
    account: true,
    object: 'certificate',
    details: z.strictObject({ domains: z.array(z.string()), not_after: Millis }),
    example: { domains: ['alice.example'], not_after: 1_796_000_000_000 },
  },
  'ssl.expiring': {
    summary: 'A certificate is about to expire',
    account: true,
    object: 'certificate',
    details: z.strictObject({ domains: z.array(z.string()), not_after: Millis, days: z.int().min(0) }),
    example: { domains: ['alice.example'], not_after: 1_796_000_000_000, days: 14 },
  },
  'ssl.uninstalled': {
    summary: 'A certificate was removed',
    account: true,
    object: 'certificate',
    details: z.strictObject({ domains: z.array(z.string()) }),
    example: { domains: ['alice.example'] },
  },
  'app.created': {
    summary: 'An app was created',
    account: true,
    object: 'app',
    details: Name,
    example: { name: 'shop' },
  },
  'app.deleted': {
    summary: 'An app was deleted',
    account: true,
    object: 'app',
    details: Name,
    example: { name: 'shop' },
  },
  'app.deploy_started': {
    summary: 'A deployment was queued',
    account: true,
    object: 'app',
    details: Release,
    example: { name: 'shop', release: '7' },
  },
  'app.rolled_back': {
    summary: 'An app was rolled back to a previous release',
    account: true,
    object: 'app',
    details: Release,
    example: { name: 'shop', release: '6' },
  },
  'backup.started': {
    summary: 'A backup was queued',
    account: true,
    object: 'backup',
    details: z.strictObject({ parts: z.array(z.string()) }),
    example: { parts: ['files', 'mysql'] },
  },
  'package.created': {
    summary: 'A package was created',
    account: false,
    object: 'package',
    details: Name,
    example: { name: 'small' },
  },
  'package.updated': {
    summary: 'A package was changed',
    account: false,
    object: 'package',
    details: z.strictObject({ name: z.string(), fields: z.array(z.string()).describe('What was changed') }),
    example: { name: 'small', fields: ['disk_quota_mb'] },
  },
  'package.deleted': {
    summary: 'A package was deleted',
    account: false,
    object: 'package',
    details: Name,
    example: { name: 'small' },
  },
  'reseller.created': {
    summary: 'An account became a reseller',
    account: false,
    object: 'reseller',
    details: Reseller,
    example: { username: 'alice' },
  },
  'reseller.suspended': {
    summary: 'A reseller was suspended',
    account: false,
    object: 'reseller',
    details: z.strictObject({ username: z.string(), reason: z.string(), accounts: z.boolean() }),
    example: { username: 'alice', reason: 'unpaid', accounts: true },
  },
  'reseller.unsuspended': {
    summary: 'A reseller was unsuspended',
    account: false,
    object: 'reseller',
    details: Reseller,
    example: { username: 'alice' },
  },
  'reseller.removed': {
    summary: 'An account stopped being a reseller',
    account: false,
    object: 'reseller',
    details: Reseller,
    example: { username: 'alice' },
  },
  'job.completed': {
    summary: 'A background job finished',
    account: true,
    object: 'job',
    details: Nothing,
    example: {},
  },
  'job.failed': {
    summary: 'A background job failed permanently',
    account: true,
    object: 'job',
    details: Nothing,
    example: {},
  },
  'node.joined': {
    summary: 'A machine joined as a node',
    account: false,
    object: 'node',
    details: Name,
    example: { name: 'web2' },
  },
  'node.down': {
    summary: 'A node stopped answering',
    account: false,
    object: 'node',
    details: z.strictObject({ name: z.string(), reason: z.string() }),
    example: { name: 'web2', reason: 'Node web2 is down: it has said nothing for 6 seconds.' },
  },
  'node.up': {
    summary: 'A node answers again',
    account: false,
    object: 'node',
    details: Name,
    example: { name: 'web2' },
  },
  'node.certificate_expiring': {
    summary: 'The certificate of a node expires within 14 days and was not renewed',
    account: false,
    object: 'node',
    details: z.strictObject({ name: z.string(), expires_at: Millis }),
    example: { name: 'web2', expires_at: 1_796_000_000_000 },
  },
  'webhook.ping': {
    summary: 'A test event was requested',
    account: true,
    object: 'webhook',
    details: Nothing,
    example: {},
  },
} as const satisfies Record<string, EventDeclaration>

export type EventType = keyof typeof events
export const eventTypes = Object.keys(events) as [EventType, ...EventType[]]
/** `dns.record.created` belongs to `dns`. */
export const groupOf = (type: EventType): string => type.slice(0, type.indexOf('.'))

export type Details<T extends EventType> = z.input<(typeof events)[T]['details']>

export const actorTypes = ['root', 'reseller', 'account', 'system'] as const
export const vias = ['api', 'panel', 'cli', 'sso', 'mcp', 'system'] as const
export type ActorType = (typeof actorTypes)[number]
export type Via = (typeof vias)[number]

export const AccountRef = component('AccountRef', z.strictObject({ id: Id, username: z.string(), domain: z.string() }))

/** Characters of the reason that an AI agent gives for a change, and of the name that its client claims. */
export const MAX_REASON_LENGTH = 255
export const MAX_CLIENT_LENGTH = 128

export const ChangeReason = z.string().max(MAX_REASON_LENGTH).describe('Why an AI agent made the change, in its words')
export const ClientName = z.string().max(MAX_CLIENT_LENGTH).describe('The name that the AI client claims')

const common = {
  account: AccountRef.optional(),
  object: z.string().describe('Kind of the object that changed'),
  object_id: Id,
  actor: component('EventActor', z.strictObject({ type: z.enum(actorTypes), id: Id })),
  via: component('Via', z.enum(vias)),
  reason: ChangeReason.optional(),
  client: ClientName.optional(),
}
const job = { job_id: Id, kind: z.string(), error: z.string().optional() }

/** The schema of `data` for a type (contract: Webhook delivery). */
export const dataSchema = (type: EventType) =>
  z.strictObject({
    ...common,
    ...(type.startsWith('job.') ? job : {}),
    object: z.literal(events[type].object),
    details: events[type].details,
  })

/** The feed's item (contract: Event record). */
export const Event = component(
  'Event',
  z.strictObject({
    id: Id,
    seq: z.int().min(1).describe('Ordering cursor'),
    type: z.enum(eventTypes),
    created_at: Millis,
    account_id: Id.optional(),
    data: z.looseObject({
      ...common,
      details: z.looseObject({}),
      job_id: Id.optional(),
      kind: z.string().optional(),
      error: z.string().optional(),
    }),
  }),
)

/** What a webhook posts (contract: Webhook delivery). */
export const webhookBody = (type: EventType) =>
  z.strictObject({
    id: Id,
    type: z.literal(type),
    created_at: Millis,
    account_id: Id.optional(),
    data: dataSchema(type),
    server: z.string().describe('Hostname of the server'),
  })

const alice = { id: '01K9ZQ5T3M8V4X7C2B6N1D0FGA', username: 'alice', domain: 'alice.example' }

/** A complete example payload for a type. */
export function exampleOf(type: EventType): z.input<ReturnType<typeof webhookBody>> {
  const about = events[type].account || type === 'account.terminated'
  return {
    id: '01K9ZQ5T3M8V4X7C2B6N1D0FGE',
    type,
    created_at: 1_763_640_000_000,
    ...(about ? { account_id: alice.id } : {}),
    data: {
      ...(about ? { account: alice } : {}),
      object: events[type].object,
      object_id: events[type].object === 'account' ? alice.id : id,
      details: events[type].example,
      actor: { type: 'root', id: '01K9ZQ5T3M8V4X7C2B6N1D0FGR' },
      via: 'api',
      ...(type.startsWith('job.') ? { job_id: id, kind: 'account.create' } : {}),
      ...(type === 'job.failed' ? { error: 'The home directory could not be created.' } : {}),
    },
    server: 'host.example',
  } as never
}
export { named }
