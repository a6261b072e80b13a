import { z } from 'zod'
import { type AccountArea, accountAreas, component, Id, listOf } from './common.ts'
import { operation } from './operation.ts'

/** What can be looked up by name, with the account token area that may see it; none: not part of an account. */
export const lookupKinds = {
  account: 'account',
  domain: 'any',
  zone: 'dns',
  mailbox: 'email',
  forwarder: 'email',
  database: 'mysql',
  database_user: 'mysql',
  ftp_account: 'files',
  app: 'files',
  package: 'none',
} as const satisfies Record<string, AccountArea | 'any' | 'none'>
export type LookupKind = keyof typeof lookupKinds
export const lookupKindNames = Object.keys(lookupKinds) as [LookupKind, ...LookupKind[]]

/** Lists whose names are unique on the server, so that a name identifies its account. */
export const uniqueLists: Readonly<Record<string, LookupKind>> = {
  '/accounts/{id}/domains': 'domain',
  '/accounts/{id}/dns/zones': 'zone',
  '/accounts/{id}/email/accounts': 'mailbox',
  '/accounts/{id}/email/domains': 'domain',
  '/accounts/{id}/email/forwarders': 'forwarder',
  '/accounts/{id}/mysql/databases': 'database',
  '/accounts/{id}/mysql/users': 'database_user',
  '/accounts/{id}/ftp/accounts': 'ftp_account',
}

export const MAX_LOOKUP_LENGTH = 320

const Found = component(
  'Found',
  z.strictObject({
    kind: z.enum(lookupKindNames),
    id: Id,
    name: z.string(),
    account_id: Id.optional().describe('The account it belongs to; a package belongs to none'),
    username: z.string().optional(),
  }),
)

const query = z.strictObject({
  name: z.string().min(1).max(MAX_LOOKUP_LENGTH).optional().describe('The whole name; cannot be combined with prefix'),
  prefix: z.string().min(2).max(MAX_LOOKUP_LENGTH).optional().describe('Start of the name, at least 2 characters'),
  kind: z
    .string()
    .max(200)
    .optional()
    .describe(`Only these kinds: ${lookupKindNames.join(', ')}`),
})

const found = { status: 200, answer: listOf(Found) } as const
const columns = ['kind', 'name', 'username', 'id'] as const

export const lookup = operation({
  id: 'lookup',
  method: 'get',
  path: '/lookup',
  area: 'lookup',
  summary: 'Find objects on this server by name',
  description: 'At most 100 by `name`, 20 by `prefix`. Resellers see only their own.',
  query,
  ...found,
  allow: { reseller: 'own' },
  token: { admin: ['accounts', 'packages'], account: 'none' },
  cli: {
    words: ['lookup'],
    args: ['name'],
    columns,
    examples: ['panel lookup shop.example', 'panel lookup --prefix shop --kind domain'],
  },
})

export const lookupForAccount = operation({
  id: 'lookupForAccount',
  method: 'get',
  path: '/accounts/{id}/lookup',
  area: 'lookup',
  summary: 'Find objects of an account by name',
  description: 'At most 100 by `name`, 20 by `prefix`. A token sees domains, and the kinds that its areas may read.',
  params: z.strictObject({ id: Id.describe('The account') }),
  query,
  ...found,
  allow: { reseller: 'own', customer: true },
  token: { admin: ['accounts', 'packages'], account: accountAreas },
  cli: {
    words: ['lookup'],
    variant: 'account',
    args: ['name'],
    columns,
    examples: ['panel lookup shop --account alice'],
  },
})
