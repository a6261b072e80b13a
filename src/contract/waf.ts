import { z } from 'zod'
import { sitePath } from '../shared/patterns.ts'
import {
  FIRST_WAF_RULE,
  LAST_WAF_RULE,
  MAX_WAF_EXCEPTIONS,
  MAX_WAF_HITS,
  MAX_WAF_PAGE,
  MAX_WAF_PARAMETER_LENGTH,
  WAF_HIT_DAYS,
  wafParameter,
} from '../shared/waf.ts'
import { component, Id, listOf, Millis } from './common.ts'
import { operation } from './operation.ts'

const domain = { id: Id.describe('The account'), did: Id.describe('The domain') }
const params = z.strictObject(domain)

const area = 'domains'
const read = {
  allow: { reseller: 'list-accts', customer: true },
  token: { admin: ['accounts'], account: 'domains' },
} as const
const change = {
  allow: { reseller: 'edit-account', customer: true },
  token: { admin: ['accounts'], account: 'domains' },
  feature: 'waf',
} as const
const ended = ['job.completed', 'job.failed'] as const

const RuleId = z.int().min(FIRST_WAF_RULE).max(LAST_WAF_RULE)

const WafHit = component(
  'WafHit',
  z.strictObject({
    at: Millis,
    address: z.string().describe('Of the visitor'),
    path: z.string().describe('Without the query'),
    rule_id: z.int(),
    message: z.string().describe('What the rule looks for'),
    action: z.enum(['blocked', 'watched']),
  }),
)

export const listWafHits = operation({
  id: 'listWafHits',
  method: 'get',
  path: '/accounts/{id}/domains/{did}/waf/hits',
  area,
  host: true,
  summary: 'List hits of the web application firewall in requests to a domain',
  description: `A row for each request and rule, the newest first. Rows are kept ${WAF_HIT_DAYS} days, of a domain ${MAX_WAF_HITS.toLocaleString('en')} at most; what was sent is not kept.`,
  params,
  query: z.strictObject({
    limit: z.int().min(1).max(MAX_WAF_PAGE).default(100).describe('Rows on a page, at most'),
    after: z
      .string()
      .regex(/^[0-9]{1,15}$/, 'must be the `next` of a page')
      .optional()
      .describe('The `next` of the page before'),
    rule_id: RuleId.optional().describe('Only rows of this rule'),
  }),
  status: 200,
  answer: component(
    'WafHits',
    z.strictObject({
      items: z.array(WafHit),
      more: z.boolean().describe('Whether there are further pages'),
      next: z.string().optional().describe('Where the next page begins'),
    }),
  ),
  ...read,
  cli: {
    words: ['waf', 'hits'],
    variant: 'account',
    columns: ['at', 'address', 'path', 'rule_id', 'message', 'action'],
    examples: ['panel waf hits shop.example'],
  },
})

export const WafException = component(
  'WafException',
  z.strictObject({
    id: Id,
    domain_id: Id,
    rule_id: z.int(),
    path: z.string().optional().describe('Holds for it and all below it; absent: for the whole site'),
    parameter: z.string().optional().describe('Holds for this parameter alone; absent: for the whole request'),
    created_at: Millis,
  }),
)

const columns = ['id', 'rule_id', 'path', 'parameter', 'created_at'] as const
const accepted = {
  status: 202,
  answer: component(
    'WafExceptionAccepted',
    z.strictObject({ exception: WafException, job_id: Id.describe('The job that applies the change') }),
  ),
  ...change,
  job: 'domain.update',
  emits: ended,
} as const

export const listWafExceptions = operation({
  id: 'listWafExceptions',
  method: 'get',
  path: '/accounts/{id}/domains/{did}/waf/exceptions',
  area,
  summary: 'List exceptions of the web application firewall at a domain',
  params,
  status: 200,
  answer: listOf(WafException),
  ...read,
  cli: { words: ['waf', 'exceptions'], variant: 'account', columns, examples: ['panel waf exceptions shop.example'] },
})

export const createWafException = operation({
  id: 'createWafException',
  method: 'post',
  path: '/accounts/{id}/domains/{did}/waf/exceptions',
  area,
  summary: 'Have the web application firewall let pass what a rule finds',
  description: `At most ${MAX_WAF_EXCEPTIONS} for each domain.`,
  params,
  body: component(
    'CreateWafException',
    z.strictObject({
      rule_id: RuleId.describe('The rule, as in the row of what it found'),
      path: z
        .string()
        .max(512)
        .regex(sitePath, 'must be a path such as /wp-admin')
        .optional()
        .describe('Only at this path and below it'),
      parameter: z
        .string()
        .max(MAX_WAF_PARAMETER_LENGTH)
        .regex(wafParameter, 'must be the name of a parameter, such as content')
        .optional()
        .describe('Only in this parameter'),
    }),
  ),
  ...accepted,
  problems: ['exists', 'too-many'],
  cli: {
    words: ['waf', 'allow'],
    variant: 'account',
    args: ['rule_id'],
    columns,
    show: 'exception',
    examples: ['panel waf allow shop.example 941100', 'panel waf allow shop.example 941100 --path /wp-admin'],
  },
})

export const deleteWafException = operation({
  id: 'deleteWafException',
  method: 'delete',
  path: '/accounts/{id}/domains/{did}/waf/exceptions/{xid}',
  area,
  summary: 'Have the web application firewall apply a rule again',
  params: z.strictObject({ ...domain, xid: Id.describe('The exception') }),
  ...accepted,
  cli: {
    words: ['waf', 'delete-exception'],
    variant: 'account',
    columns,
    show: 'exception',
    examples: ['panel waf delete-exception shop.example 01J9Z6Q4W8V5T2R7N3M1K0H9XE'],
  },
})
