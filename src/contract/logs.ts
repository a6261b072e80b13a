import { z } from 'zod'
import { Id, listOf, Millis } from './common.ts'
import { params } from './files.ts'
import { operation } from './operation.ts'

export const logKinds = ['access', 'error', 'php'] as const

const host = {
  allow: { reseller: 'stats', customer: true },
  token: { admin: ['accounts'], account: 'logs' },
  host: true,
  area: 'logs',
  params,
} as const

const which = {
  domain_id: Id.describe("One of the account's domains"),
  kind: z.enum(logKinds).default('access').describe('Which log; `php` is one for all domains'),
}
const Day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date such as 2031-12-31')
  .describe('A day of `days`, UTC')

/** What the end of any log is asked for. */
export const tailQuery = {
  cursor: z.string().max(512).optional().describe('`next` of an earlier answer'),
  limit: z.int().min(1).max(1_000).default(200).describe('Most lines'),
  q: z.string().max(200).optional().describe('Only lines with this text'),
}

export const LogTail = z.strictObject({
  items: z.array(z.strictObject({ text: z.string() })),
  next: z.string().describe('The cursor of what comes next'),
  gap: z.literal(true).optional(),
})

export const listLogs = operation({
  ...host,
  id: 'listLogs',
  method: 'get',
  path: '/accounts/{id}/logs',
  summary: 'List the logs of an account',
  status: 200,
  answer: listOf(
    z.strictObject({
      domain_id: Id,
      domain: z.string(),
      kind: z.enum(logKinds),
      size: z.int().min(0).describe('Of the current file, in bytes'),
      modified_at: Millis,
      days: z.array(z.string()).describe('That can be downloaded, the newest first'),
    }),
  ),
  cli: {
    words: ['logs', 'list'],
    variant: 'account',
    columns: ['domain', 'kind', 'size', 'modified_at'],
    examples: ['panel logs list --account alice'],
  },
})

export const tailLog = operation({
  ...host,
  id: 'tailLog',
  method: 'get',
  path: '/accounts/{id}/logs/tail',
  summary: 'Show the end of a log',
  description:
    'Without a cursor the last lines; with `next` of an answer what has come since. `gap`: lines between the two are gone.',
  query: z.strictObject({ ...which, ...tailQuery }),
  status: 200,
  answer: LogTail,
  cli: {
    words: ['logs', 'tail'],
    variant: 'account',
    args: ['domain_id'],
    follow: true,
    examples: [
      'panel logs tail alice.example --account alice --kind error',
      'panel logs tail alice.example --account alice --follow',
    ],
  },
})

export const downloadLog = operation({
  ...host,
  id: 'downloadLog',
  method: 'get',
  path: '/accounts/{id}/logs/download',
  raw: 'answer',
  summary: 'Download the log of a day',
  description: 'As it is kept: one that ends in .gz is compressed.',
  query: z.strictObject({ ...which, day: Day }),
  status: 200,
  problems: ['range-not-satisfiable'],
  cli: {
    words: ['logs', 'download'],
    variant: 'account',
    args: ['domain_id', 'day'],
    examples: ['panel logs download alice.example 2031-12-31 --account alice'],
  },
})
