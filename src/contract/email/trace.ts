import { z } from 'zod'
import { MAX_TRACED, traceOutcomes } from '../../shared/mail-trace.ts'
import { component, Id, Millis } from '../common.ts'
import { NodeName, Unreachable } from '../node-names.ts'
import { operation } from '../operation.ts'
import { access, account, area, MAX_ADDRESS_LENGTH } from './common.ts'
import { QueueId } from './queue.ts'

const TracedMessage = component(
  'TracedMessage',
  z.strictObject({
    at: Millis.describe('When the mail server last logged something about it'),
    node: NodeName,
    direction: z.enum(['in', 'out']),
    from: z.string().describe('The sender of the envelope; empty for bounces'),
    to: z.string().describe('The recipient, before forwarding'),
    size: z.int().min(0).optional().describe('In bytes; absent for what was refused before it was sent'),
    client: z.string().optional().describe('The address that it was sent from'),
    spam_score: z.int().optional().describe("The spam filter's points, as many as the stars in X-Spam-Level"),
    outcome: z
      .enum(traceOutcomes)
      .describe('What became of it; `spam` went to Junk, `discarded` was thrown away by a rule or by hand'),
    mailbox: z.string().optional().describe('The mailbox that has it'),
    remote_host: z.string().optional().describe('The other mail server'),
    answer: z.string().describe('The words of the mail server that took or refused it'),
    queue_id: QueueId.optional().describe("The mail server's id of the message"),
    account_id: Id.optional().describe('The account whose side it is; absent once its mail is elsewhere'),
    username: z.string().optional(),
  }),
)

const part = (what: string) =>
  z
    .string()
    .min(1)
    .max(MAX_ADDRESS_LENGTH)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, 'must not contain control characters')
    .optional()
    .describe(what)

const filter = {
  address: part("Only messages to or from this address of the account's own; part of one suffices"),
  with: part('Only messages from or to this other address; part of one suffices'),
  since: Millis.optional().describe('Only what was logged since then'),
  direction: z.enum(['in', 'out']).optional().describe('Only what came in, or went out'),
  limit: z.int().min(1).max(MAX_TRACED).default(100).describe('Rows on a page, at most'),
  after: z
    .string()
    .regex(/^[0-9]{1,15}-[0-9]{1,15}-[a-z0-9-]{1,63}$/, 'must be the `next` of a page')
    .optional()
    .describe('The `next` of the page before'),
}

const page = component(
  'MailTrace',
  z.strictObject({
    items: z.array(TracedMessage),
    more: z.boolean().describe('Whether there are further pages'),
    next: z.string().optional().describe('Where the next page begins'),
    unreachable: Unreachable.describe('Nodes that could not be asked'),
  }),
)

const columns = ['at', 'username', 'direction', 'from', 'to', 'outcome', 'answer'] as const
const about =
  'A row for each message and recipient, the newest first, from the log of the mail server. Rows are kept for the days of the setting `mail_trace_days`; subjects are not.'

export const traceMail = operation({
  id: 'traceMail',
  method: 'get',
  path: '/mail/trace',
  area,
  host: true,
  summary: 'Find out what became of messages',
  description: `${about} Resellers see the messages of their accounts.`,
  query: z.strictObject({ ...filter, account_id: Id.optional().describe('Only messages of this account') }),
  status: 200,
  answer: page,
  problems: ['not-found'],
  allow: { reseller: 'create-user-session' },
  token: { admin: ['accounts'], account: 'none' },
  cli: {
    words: ['email', 'trace'],
    args: ['with'],
    columns,
    examples: ['panel email trace bob@ext.example', 'panel email trace --address info@shop.example --direction in'],
  },
})

export const traceEmail = operation({
  id: 'traceEmail',
  method: 'get',
  path: '/accounts/{id}/email/trace',
  area,
  host: true,
  summary: "Find out what became of an account's messages",
  description: about,
  params: z.strictObject(account),
  query: z.strictObject(filter),
  status: 200,
  answer: page,
  ...access,
  cli: {
    words: ['email', 'trace'],
    variant: 'account',
    args: ['with'],
    columns: columns.filter((name) => name !== 'username'),
    examples: ['panel email trace bob@ext.example --account alice'],
  },
})
