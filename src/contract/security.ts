import { z } from 'zod'
import { component, Id, listOf } from './common.ts'
import { operation } from './operation.ts'

export const securityChecks = ['second-factor', 'token-address', 'token-expiry', 'php-version', 'https'] as const

const SecurityItem = component(
  'SecurityItem',
  z.strictObject({
    check: z.enum(securityChecks),
    severity: z.enum(['error', 'warn']),
    object: z.enum(['server', 'reseller', 'account', 'token', 'domain']),
    object_id: Id,
    name: z.string(),
    detail: z.string(),
    command: z.string().describe('Fixes it; for what only its owner can do, the page'),
    operation: z.string().optional().describe('The operation that fixes it'),
  }),
)

const found = { method: 'get', area: 'security', status: 200, answer: listOf(SecurityItem) } as const
const columns = ['severity', 'check', 'name', 'detail', 'command'] as const

export const checkSecurity = operation({
  id: 'checkSecurity',
  path: '/security',
  ...found,
  summary: 'List weak points, and how to fix each',
  description:
    'Administrators without a second factor, tokens that work from anywhere or forever, versions of PHP without fixes, and sites without HTTPS. At most 500 of each kind.',
  allow: {},
  token: { admin: ['server'], account: 'none' },
  cli: { words: ['security', 'check'], columns, examples: ['panel security check'] },
})

export const checkSecurityForAccount = operation({
  id: 'checkSecurityForAccount',
  path: '/accounts/{id}/security',
  ...found,
  summary: 'List weak points of an account, and how to fix each',
  description:
    'No second factor, tokens that work from anywhere or forever, versions of PHP without fixes, and sites without HTTPS.',
  params: z.strictObject({ id: Id.describe('The account') }),
  allow: { reseller: 'list-accts', customer: true },
  token: { admin: ['accounts'], account: 'account' },
  cli: {
    words: ['security', 'check'],
    variant: 'account',
    columns,
    examples: ['panel security check --account alice'],
  },
})
