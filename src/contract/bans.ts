import { z } from 'zod'
import { component, Id, Millis, pageOf, paging, search } from './common.ts'
import { NodeName } from './node-names.ts'
import { operation } from './operation.ts'

/** Where an address failed to sign in; `manual`: root banned it. */
export const banServices = ['panel', 'api', 'ssh', 'imap', 'pop3', 'sieve', 'smtp', 'ftp', 'site', 'manual'] as const
export type BanService = (typeof banServices)[number]
export const banOrigins = ['system', 'root', 'node'] as const

/** A year, in seconds. */
const MAX_BAN_S = 31_536_000

/** An address that may not connect. */
export const Ban = component(
  'Ban',
  z.strictObject({
    id: Id,
    address: z.string().describe('An IPv4 address, or an IPv6 network of 64 bits'),
    service: z.enum(banServices).describe('Where it failed last'),
    failures: z.int().min(0).describe('Failed sign-ins that led to it'),
    reason: z.string(),
    since: Millis,
    until: Millis,
    by: z.enum(banOrigins).describe('Who saw the failures: this server or a node; or root, who banned it'),
    node: NodeName.optional().describe('The node that saw them'),
    accounts: z.array(Id).describe('Accounts at whose logins it failed'),
    sample: z.array(z.string()).max(5).describe('The first failures, in words'),
  }),
)

const Address = z.string().min(2).max(49)
const address = Address.describe('An IPv4 or IPv6 address')
const root = { area: 'bans', allow: {}, token: { admin: ['server'], account: 'none' } } as const
const params = z.strictObject({ bid: Id.describe('The ban') })
const columns = ['address', 'service', 'failures', 'since', 'until', 'by', 'reason'] as const
const emits = ['security.banned'] as const

export const listBans = operation({
  ...root,
  id: 'listBans',
  method: 'get',
  path: '/bans',
  summary: 'List banned addresses',
  query: z.strictObject({
    ...paging,
    q: search('address'),
    address: Address.optional().describe('Only the ban that this address is under'),
    service: z.enum(banServices).optional().describe('Only bans for failures at this service'),
    node: NodeName.optional().describe('Only bans for failures that this node saw'),
  }),
  status: 200,
  answer: pageOf(Ban),
  cli: { words: ['bans', 'list'], columns, examples: ['panel bans list --service ssh'] },
})

export const getBan = operation({
  ...root,
  id: 'getBan',
  method: 'get',
  path: '/bans/{bid}',
  summary: 'Show a ban',
  params,
  status: 200,
  answer: Ban,
  cli: {
    words: ['bans', 'show'],
    columns: [...columns.slice(0, 6), 'node', 'accounts', 'reason', 'sample'],
    examples: ['panel bans show 203.0.113.7'],
  },
})

export const createBan = operation({
  ...root,
  id: 'createBan',
  method: 'post',
  path: '/bans',
  summary: 'Ban an address',
  description:
    'All its packets are dropped on all nodes, within two seconds. A ban that exists is prolonged: 200. Never banned are addresses of the servers, of name servers and peers, those of `ban_allow`, and your own.',
  body: component(
    'CreateBan',
    z.strictObject({
      address: Address.describe('An IPv4 or IPv6 address; of an IPv6 address, its network of 64 bits is banned'),
      for_s: z.int().min(1).max(MAX_BAN_S).describe('Seconds that it lasts'),
      reason: z
        .string()
        .min(1)
        .max(200)
        .regex(/^\P{Cc}*$/u, 'must not contain control characters')
        .optional()
        .describe('Why'),
    }),
  ),
  status: 201,
  statusIfExisting: 200,
  answer: Ban,
  emits,
  problems: ['in-use', 'too-many'],
  cli: {
    words: ['bans', 'add'],
    args: ['address'],
    columns,
    examples: ['panel bans add 203.0.113.7 --for 1d --reason "Guesses passwords"'],
  },
})

export const deleteBan = operation({
  ...root,
  id: 'deleteBan',
  method: 'delete',
  path: '/bans/{bid}',
  summary: 'Lift a ban',
  params,
  status: 204,
  emits: ['security.unbanned'],
  cli: { words: ['bans', 'delete'], examples: ['panel bans delete 203.0.113.7'] },
})

const BanCheck = component(
  'BanCheck',
  z.strictObject({
    banned: z.boolean(),
    until: Millis.optional(),
    service: z.enum(banServices).optional().describe('Where it failed; absent where that was at logins of others'),
    liftable: z.boolean().describe('Whether the caller can lift it'),
  }),
)
const checked = {
  method: 'get',
  area: 'bans',
  query: z.strictObject({ address }),
  status: 200,
  answer: BanCheck,
} as const

export const checkBan = operation({
  ...checked,
  id: 'checkBan',
  path: '/bans/check',
  summary: 'Check whether an address is banned',
  allow: { reseller: 'list-accts' },
  token: { admin: ['accounts'], account: 'none' },
  cli: {
    words: ['bans', 'check'],
    args: ['address'],
    columns: ['banned', 'until', 'service', 'liftable'],
    examples: ['panel bans check 203.0.113.7'],
  },
})

const account = z.strictObject({ id: Id.describe('The account') })

export const checkBanForAccount = operation({
  ...checked,
  id: 'checkBanForAccount',
  path: '/accounts/{id}/bans/check',
  summary: 'Check whether an address is banned, for an account',
  params: account,
  allow: { reseller: 'list-accts', customer: true },
  token: { admin: ['accounts'], account: 'account' },
  cli: {
    words: ['bans', 'check'],
    variant: 'account',
    args: ['address'],
    columns: ['banned', 'until', 'service', 'liftable'],
    examples: ['panel bans check 203.0.113.7 --account alice'],
  },
})

export const liftBanForAccount = operation({
  id: 'liftBanForAccount',
  method: 'post',
  path: '/accounts/{id}/bans/lift',
  area: 'bans',
  summary: 'Lift a ban for failures at the logins of an account',
  description:
    'For customers who signed in with their password, where the address failed at nothing but logins of their account. Once an hour, three times a day.',
  params: account,
  body: component('LiftBan', z.strictObject({ address })),
  status: 204,
  allow: { customer: true },
  token: { admin: 'none', account: 'none' },
  ownerOnly: true,
  emits: ['security.unbanned'],
  problems: ['rate-limited'],
  cli: {
    words: ['bans', 'lift'],
    variant: 'account',
    args: ['address'],
    examples: ['panel bans lift 203.0.113.7 --account alice'],
  },
})
