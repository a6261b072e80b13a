import { z } from 'zod'
import { accountAreas, adminAreas, component, Id, Millis, pageOf, paging } from './common.ts'
import { operation } from './operation.ts'

/** An API token without its secret (contract: StoreAPIToken). */
export const Token = component(
  'Token',
  z.strictObject({
    id: Id,
    name: z.string(),
    prefix: z.string().describe('First 12 characters of the secret'),
    principal_id: Id,
    principal_type: z.enum(['root', 'reseller', 'account']),
    scopes: z.array(z.string()),
    allowed_ips: z.array(z.string()).describe('Addresses and ranges; none means any address'),
    created_at: Millis,
    expires_at: Millis.optional(),
    last_used_at: Millis.optional(),
    last_used_ip: z.string().optional(),
    client: z
      .strictObject({
        id: z.string(),
        name: z.string().describe('As the client calls itself'),
        host: z.string().describe('Where the client is'),
      })
      .optional()
      .describe('The client of an AI agent that got it by OAuth, to use at /mcp'),
  }),
)

const area = (names: readonly string[]) =>
  z.enum(names.flatMap((name) => [`${name}:read`, `${name}:write`]) as [string, ...string[]])
const scopes = (names: readonly string[]) =>
  z
    .array(z.union([z.enum(['full-access', 'read-only']), area(names)]))
    .min(1)
    .max(2 * names.length)
    .describe('`full-access`, `read-only`, or the areas it needs, such as `accounts:read`; `:write` includes `:read`')

const choices = {
  name: z
    .string()
    .min(1)
    .max(64)
    .regex(/^[^\p{C}]*[^\p{C}\s][^\p{C}]*$/u, 'must be printable')
    .describe('Name shown in the audit trail'),
  allowed_ips: z
    .array(z.string().min(2).max(49))
    .max(64)
    .optional()
    .describe('Addresses and CIDR ranges it may be used from'),
  expires_at: Millis.optional().describe('When it expires; cannot be combined with expires_in'),
  expires_in: z.enum(['30d', '90d', '1y', 'never']).optional().describe('Time until it expires; never by default'),
}
const Created = component(
  'CreatedToken',
  z.strictObject({ secret: z.string().describe('Shown only once'), token: Token }),
)

/** Of one account: its own tokens, and as many of a reseller as an administrator. Root has no limit. */
export const MAX_TOKENS_PER_ACCOUNT = 100

const limitNote = `An account has at most ${MAX_TOKENS_PER_ACCOUNT} tokens, expired ones too until they are revoked`

const columns = ['name', 'prefix', 'scopes', 'allowed_ips', 'expires_at', 'last_used_at'] as const
const session = { token: { admin: 'none', account: 'none' } } as const
const server = { ...session, allow: { reseller: 'manage-api-tokens' } } as const
const own = { ...session, allow: { reseller: 'manage-api-tokens', customer: true }, feature: 'api_tokens' } as const
const tid = z.strictObject({ tid: Id.describe('The token') })
const account = z.strictObject({ id: Id.describe('The account') })
const accountToken = z.strictObject({ id: Id.describe('The account'), tid: Id.describe('The token') })

export const listTokens = operation({
  id: 'listTokens',
  sensitive: 'agents',
  method: 'get',
  path: '/tokens',
  area: 'tokens',
  summary: 'List admin tokens',
  query: z.strictObject({ ...paging }),
  status: 200,
  answer: pageOf(Token),
  ...server,
  cli: { words: ['tokens', 'list'], columns, examples: ['panel tokens list'] },
})

export const createToken = operation({
  id: 'createToken',
  method: 'post',
  path: '/tokens',
  area: 'tokens',
  summary: 'Create an admin token',
  description: `${limitNote.replace('An account', 'A reseller')}.`,
  body: component('CreateToken', z.strictObject({ ...choices, scopes: scopes(adminAreas) })),
  status: 201,
  answer: Created,
  secret: true,
  sensitive: true,
  problems: ['limit-reached'],
  ...server,
  cli: {
    words: ['tokens', 'create'],
    args: ['name'],
    columns: ['secret', 'token.name', 'token.scopes', 'token.expires_at'],
    preset: {
      option: 'for',
      description: 'The scopes that a billing system needs, and where it connects to',
      values: {
        whm: { scopes: ['accounts:write', 'packages:write'] },
        'whm-resellers': { scopes: ['accounts:write', 'packages:write', 'server:write'] },
      },
      beside: 'getWhm',
      columns: ['user', 'secret', 'url'],
    },
    examples: [
      'panel tokens create billing --scopes accounts:write,packages:write --allowed-ips 192.0.2.7',
      'panel tokens create billing --for whm',
    ],
  },
})

export const showToken = operation({
  id: 'showToken',
  sensitive: 'agents',
  method: 'get',
  path: '/tokens/{tid}',
  area: 'tokens',
  summary: 'Show an admin token',
  params: tid,
  status: 200,
  answer: Token,
  ...server,
  cli: { words: ['tokens', 'show'], columns, examples: ['panel tokens show 01K9ZQ5T3M8V4X7C2B6N1D0FGH'] },
})

export const revokeToken = operation({
  id: 'revokeToken',
  method: 'delete',
  path: '/tokens/{tid}',
  area: 'tokens',
  summary: 'Revoke an admin token',
  params: tid,
  status: 204,
  sensitive: true,
  ...server,
  cli: {
    words: ['tokens', 'revoke'],
    confirm: 'yes',
    examples: ['panel tokens revoke 01K9ZQ5T3M8V4X7C2B6N1D0FGH --yes'],
  },
})

export const listTokensForAccount = operation({
  id: 'listTokensForAccount',
  sensitive: 'agents',
  method: 'get',
  path: '/accounts/{id}/tokens',
  area: 'tokens',
  summary: "List an account's tokens",
  params: account,
  query: z.strictObject({ ...paging }),
  status: 200,
  answer: pageOf(Token),
  ...own,
  cli: { words: ['tokens', 'list'], variant: 'account', columns, examples: ['panel tokens list --account alice'] },
})

export const createTokenForAccount = operation({
  id: 'createTokenForAccount',
  method: 'post',
  path: '/accounts/{id}/tokens',
  area: 'tokens',
  summary: 'Create a token for an account',
  description: `${limitNote}.`,
  params: account,
  body: component('CreateAccountToken', z.strictObject({ ...choices, scopes: scopes(accountAreas) })),
  status: 201,
  answer: Created,
  secret: true,
  sensitive: true,
  problems: ['limit-reached'],
  ...own,
  cli: {
    words: ['tokens', 'create'],
    variant: 'account',
    args: ['name'],
    columns: ['secret', 'token.name', 'token.scopes', 'token.expires_at'],
    examples: ['panel tokens create deploy --account alice --scopes dns:write'],
  },
})

export const showTokenForAccount = operation({
  id: 'showTokenForAccount',
  sensitive: 'agents',
  method: 'get',
  path: '/accounts/{id}/tokens/{tid}',
  area: 'tokens',
  summary: "Show an account's token",
  params: accountToken,
  status: 200,
  answer: Token,
  ...own,
  cli: {
    words: ['tokens', 'show'],
    variant: 'account',
    columns,
    examples: ['panel tokens show 01K9ZQ5T3M8V4X7C2B6N1D0FGH --account alice'],
  },
})

export const revokeTokenForAccount = operation({
  id: 'revokeTokenForAccount',
  method: 'delete',
  path: '/accounts/{id}/tokens/{tid}',
  area: 'tokens',
  summary: "Revoke an account's token",
  params: accountToken,
  status: 204,
  sensitive: true,
  ...own,
  cli: {
    words: ['tokens', 'revoke'],
    variant: 'account',
    confirm: 'yes',
    examples: ['panel tokens revoke 01K9ZQ5T3M8V4X7C2B6N1D0FGH --account alice --yes'],
  },
})

/** What `getToken` returns to the client that holds the token. */
export const TokenInfo = component(
  'TokenInfo',
  z.strictObject({
    ...Token.shape,
    kind: z.enum(['admin', 'account']),
    principal_name: z.string().describe('Username, or root'),
    account_id: Id.optional().describe('The account of an account token'),
    server: z.string().describe('Hostname of the server'),
  }),
)

export const getToken = operation({
  id: 'getToken',
  sensitive: 'agents',
  method: 'get',
  path: '/token',
  area: 'tokens',
  summary: 'Show which token the caller holds',
  status: 200,
  answer: TokenInfo,
  allow: 'token',
  token: { admin: 'any', account: 'any' },
  cli: {
    words: ['tokens', 'current'],
    columns: ['name', 'kind', 'principal_name', 'scopes', 'expires_at', 'server'],
    examples: ['panel tokens current'],
  },
})
