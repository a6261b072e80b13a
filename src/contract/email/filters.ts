import { z } from 'zod'
import { component, Id } from '../common.ts'
import { operation } from '../operation.ts'
import { access, account, area, ended } from './common.ts'
import { Mailbox } from './mailboxes.ts'

/** Bounds of a mailbox's list of filters. */
export const MAX_FILTERS = 100
const MAX_CONDITIONS = 20
const MAX_ACTIONS = 10
/** Dovecot sends a message on to so many addresses at most. */
export const MAX_FILTER_FORWARDS = 4
export const MAX_FOLDER_BYTES = 255
const MAX_MESSAGE_BYTES = 1_000_000_000

const Text = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters')

const textTest = z
  .enum(['is', 'contains', 'matches'])
  .describe('How the field compares; `matches` knows * and ?, and no test minds upper and lower case')

const TextCondition = z.strictObject({
  field: z.enum(['from', 'to', 'subject', 'list']).describe('`to` is To and Cc, `list` is List-Id'),
  test: textTest,
  value: Text,
})

const HeaderCondition = z.strictObject({
  field: z.literal('header'),
  name: z
    .string()
    .max(76)
    .regex(/^[!-9;-~]+$/, 'must be the name of a header such as X-Priority'),
  test: textTest,
  value: Text,
})

const SizeCondition = z.strictObject({
  field: z.literal('size'),
  test: z.enum(['over', 'under']),
  value: z.int().min(0).max(MAX_MESSAGE_BYTES).describe('Bytes'),
})

const Folder = z
  .string()
  .min(1)
  .regex(
    /^(?![/.~])(?!.*[/.]{2})[^\p{Cc}\p{Cs}"*%\\]+(?<![/.])$/u,
    'must be a folder such as Work or Work/Clients, without \\ " * % and control characters',
  )
  .describe('Made if absent; a slash or a dot leads into a folder below')

const Action = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('move'), folder: Folder }),
  z.strictObject({ action: z.literal('copy'), folder: Folder }),
  z.strictObject({ action: z.literal('forward'), address: z.string().min(1).max(508) }),
  z.strictObject({ action: z.literal('mark'), as: z.enum(['read', 'flagged']).optional().describe('Default: read') }),
  z.strictObject({ action: z.enum(['discard', 'keep']) }),
])

export const MailFilter = component(
  'MailFilter',
  z.strictObject({
    name: z
      .string()
      .min(1)
      .max(100)
      .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters'),
    match: z.enum(['all', 'any']).optional().describe('How many conditions must hold (default: all)'),
    when: z
      .array(z.discriminatedUnion('field', [TextCondition, HeaderCondition, SizeCondition]))
      .min(1)
      .max(MAX_CONDITIONS),
    then: z.array(Action).min(1).max(MAX_ACTIONS),
    stop: z.boolean().optional().describe('Whether filters below are passed over (default: false)'),
  }),
)

const items = z.array(MailFilter).max(MAX_FILTERS)

const params = z.strictObject({ ...account, mid: Id.describe('The mailbox') })
const path = '/accounts/{id}/email/accounts/{mid}/filters'
const cli = <const W extends string>(verb: W, more = '') => ({
  words: ['email', 'filters', verb] as const,
  variant: 'account' as const,
  examples: [`panel email filters ${verb} info@alice.example${more}`] as const,
})

export const getMailFilters = operation({
  id: 'getMailFilters',
  method: 'get',
  path,
  area,
  summary: 'Show the filters of a mailbox',
  description: 'In the order in which they run: after the spam filter and the autoresponder.',
  params,
  status: 200,
  answer: component('MailFilters', z.strictObject({ items })),
  ...access,
  cli: { ...cli('show'), columns: ['name', 'match', 'stop'] },
})

export const setMailFilters = operation({
  id: 'setMailFilters',
  method: 'put',
  path,
  area,
  summary: 'Set the filters of a mailbox',
  description: `Replaces all of them. What no filter moves or discards stays in the inbox; \`forward\` sends a copy on, to at most ${MAX_FILTER_FORWARDS} addresses in all.`,
  params,
  body: component('SetMailFilters', z.strictObject({ items })),
  status: 202,
  answer: component('MailFiltersAccepted', z.strictObject({ mailbox: Mailbox, job_id: Id })),
  ...access,
  feature: 'email_filters',
  job: 'email.account.update',
  emits: ended,
  cli: { ...cli('set', ' --data @filters.json'), columns: ['address', 'status'], show: 'mailbox' },
})
