import { z } from 'zod'
import { mailRoutings } from '../accounts.ts'
import { component, Id, listOf, Millis } from '../common.ts'
import { operation } from '../operation.ts'
import { access, account, area, ended, jobId, MAX_ADDRESS_LENGTH } from './common.ts'

const Routing = z.enum(mailRoutings)
const actions = ['reject', 'forward'] as const

export const EmailDomain = component(
  'EmailDomain',
  z.strictObject({
    id: Id.describe('Of the domain'),
    domain: z.string(),
    is_main: z.boolean(),
    routing: Routing,
    effective_routing: z
      .enum(['local', 'remote', 'backup'])
      .describe('Where its mail goes now; `remote` until the domain is verified'),
    verified: z.boolean().describe('Whether the domain is verified: until then it takes and sends no mail'),
    catch_all: z
      .strictObject({ action: z.enum(actions), destination: z.string().optional() })
      .describe('What happens to mail for addresses that do not exist'),
    dkim_enabled: z.boolean().describe('Whether its mail is signed'),
    dkim_selector: z.string().optional(),
    mailbox_count: z.int().min(0),
    forwarder_count: z.int().min(0),
    created_at: Millis,
  }),
)

export const domainParams = z.strictObject({ ...account, did: Id.describe('The domain') })
export const domainAccepted = {
  status: 202,
  answer: component('EmailDomainAccepted', z.strictObject({ domain: EmailDomain, job_id: jobId })),
} as const
export const domainColumns = ['domain', 'effective_routing', 'dkim_enabled'] as const
export const domainCli = <const W extends string>(verb: W, more = '') => ({
  words: ['email', 'domains', verb] as const,
  variant: 'account' as const,
  columns: domainColumns,
  examples: [`panel email domains ${verb} alice.example${more}`] as const,
})

export const listEmailDomains = operation({
  id: 'listEmailDomains',
  method: 'get',
  path: '/accounts/{id}/email/domains',
  area,
  summary: 'List the domains of an account that can have mail',
  description: 'All but wildcards.',
  params: z.strictObject(account),
  status: 200,
  answer: listOf(EmailDomain),
  ...access,
  cli: { ...domainCli('list'), examples: ['panel email domains list -a alice'] },
})

export const getEmailDomain = operation({
  id: 'getEmailDomain',
  method: 'get',
  path: '/accounts/{id}/email/domains/{did}',
  area,
  summary: 'Show the mail of a domain',
  params: domainParams,
  status: 200,
  answer: EmailDomain,
  ...access,
  cli: domainCli('show'),
})

export const setMailRouting = operation({
  id: 'setMailRouting',
  method: 'put',
  path: '/accounts/{id}/email/domains/{did}/routing',
  area,
  summary: 'Set where the mail of a domain goes',
  description:
    '`auto` follows the MX records of its zone: `local` if the first is this server, `backup` if a later one is, `remote` if none is.',
  params: domainParams,
  body: component('SetMailRouting', z.strictObject({ routing: Routing.describe('Where its mail goes') })),
  ...domainAccepted,
  allow: { reseller: 'edit-mx', customer: true },
  token: access.token,
  feature: 'change_mx',
  job: 'email.domain.update',
  emits: ended,
  cli: {
    ...domainCli('set-routing'),
    args: ['routing'],
    show: 'domain',
    examples: ['panel email domains set-routing alice.example remote'],
  },
})

export const setCatchAll = operation({
  id: 'setCatchAll',
  method: 'put',
  path: '/accounts/{id}/email/domains/{did}/catch-all',
  area,
  summary: 'Set what happens to mail for addresses that do not exist',
  description: 'It is refused, or forwarded to a mailbox or a forwarder of the account.',
  params: domainParams,
  body: component(
    'SetCatchAll',
    z.strictObject({
      action: z.enum(actions).describe('What happens to mail for an address that does not exist'),
      destination: z
        .string()
        .min(1)
        .max(2 * MAX_ADDRESS_LENGTH)
        .optional()
        .describe('Address of a mailbox or a forwarder; with forward only'),
    }),
  ),
  ...domainAccepted,
  ...access,
  feature: 'default_address',
  job: 'email.domain.update',
  emits: ended,
  cli: {
    ...domainCli('set-catch-all'),
    args: ['action', 'destination'],
    show: 'domain',
    examples: [
      'panel email domains set-catch-all alice.example forward info@alice.example',
      'panel email domains set-catch-all alice.example reject',
    ],
  },
})
