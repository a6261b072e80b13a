import { z } from 'zod'
import { Id, listOf, Millis } from './common.ts'
import { params } from './files.ts'
import { operation } from './operation.ts'

export const logKinds = ['access', 'error', 'php'] as const

const figures = {
  allow: { reseller: 'stats', customer: true },
  token: { admin: ['accounts'], account: 'logs' },
  area: 'logs',
  params,
} as const
const host = { ...figures, host: true } as const

const which = {
  domain_id: Id.describe("One of the account's domains"),
  kind: z.enum(logKinds).default('access').describe('Which log; `php` is one for all domains'),
}
const Day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date such as 2031-12-31')
  .describe('A day of `days`, UTC')

/** The query of a log's tail. */
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
    'Without a cursor the last lines; with `next` of an answer, the lines since then. `gap`: lines in between are gone.',
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

const days = {
  from: Day.optional().describe('The first day, UTC; 29 days before the last unless it is given'),
  to: Day.optional().describe('The last day, UTC; today unless it is given'),
}
const Bytes = z.int().min(0)
const Requests = z.int().min(0)

export const getVisitors = operation({
  ...figures,
  id: 'getVisitors',
  method: 'get',
  path: '/accounts/{id}/logs/visitors',
  summary: 'Show who visits a site',
  description:
    'By day, 400 at most. A visitor is an address and a browser, told apart by a hash whose salt changes each day; bots are not visitors. `top` has the 20 most frequent of each; on days with very many different ones, rare ones are not counted.',
  query: z.strictObject({ domain_id: which.domain_id, ...days }),
  status: 200,
  answer: z.strictObject({
    items: z.array(
      z.strictObject({
        day: z.string(),
        requests: Requests,
        visitors: z.int().min(0),
        bytes: Bytes.describe('Of the bodies that were sent'),
        bots: z.int().min(0).describe('Requests of programs that say what they are'),
      }),
    ),
    top: z.strictObject({
      paths: z.array(z.strictObject({ path: z.string(), requests: Requests })),
      referrers: z.array(z.strictObject({ referrer: z.string(), requests: Requests })),
      statuses: z.array(z.strictObject({ status: z.string(), requests: Requests })),
    }),
  }),
  cli: {
    words: ['logs', 'visitors'],
    variant: 'account',
    args: ['domain_id'],
    rows: 'items',
    columns: ['day', 'requests', 'visitors', 'bytes', 'bots'],
    sections: [
      { field: 'top.paths', columns: ['path', 'requests'] },
      { field: 'top.referrers', columns: ['referrer', 'requests'] },
      { field: 'top.statuses', columns: ['status', 'requests'] },
    ],
    examples: [
      'panel logs visitors alice.example --account alice',
      'panel logs visitors alice.example --account alice --from 2031-12-01 --to 2031-12-31',
    ],
  },
})

const transferred = {
  web_in: Bytes.describe('Requests to the web server'),
  web_out: Bytes.describe('Its answers'),
  ftp: Bytes.describe('Files sent and fetched by FTP'),
  mail: Bytes.describe('Messages sent and received'),
}

export const getBandwidth = operation({
  ...figures,
  allow: { reseller: 'show-bandwidth', customer: true },
  id: 'getBandwidth',
  method: 'get',
  path: '/accounts/{id}/bandwidth',
  summary: 'Show how much an account transferred',
  description: 'In bytes, by day, 400 at most.',
  query: z.strictObject(days),
  status: 200,
  answer: z.strictObject({
    items: z.array(z.strictObject({ day: z.string(), ...transferred })),
    total: z.strictObject({ ...transferred, all: Bytes.describe('The sum of the others') }),
  }),
  cli: {
    words: ['logs', 'bandwidth'],
    variant: 'account',
    rows: 'items',
    columns: ['day', 'web_in', 'web_out', 'ftp', 'mail'],
    sections: [{ field: 'total', columns: ['web_in', 'web_out', 'ftp', 'mail', 'all'] }],
    examples: ['panel logs bandwidth --account alice', 'panel logs bandwidth --account alice --from 2031-12-01'],
  },
})

export const getUsageHistory = operation({
  ...figures,
  id: 'getUsageHistory',
  method: 'get',
  path: '/accounts/{id}/logs/usage',
  summary: 'Show what an account used',
  description:
    'By hour, 31 days at most, or by day, 400 at most; the last measurement of each. Hours are kept for 31 days. CPU time and memory are included if the host can measure them.',
  query: z.strictObject({
    ...days,
    step: z.enum(['hour', 'day']).default('day').describe('What each item is of'),
  }),
  status: 200,
  answer: listOf(
    z.strictObject({
      at: Millis.describe('When the hour or day began'),
      disk_mb: z.int().min(0),
      inodes: z.int().min(0),
      cpu_s: z.int().min(0).optional().describe('CPU time used, in seconds'),
      memory_mb: z.int().min(0).optional().describe('Memory in use when it was measured'),
    }),
  ),
  cli: {
    words: ['logs', 'usage'],
    variant: 'account',
    columns: ['at', 'disk_mb', 'inodes', 'cpu_s', 'memory_mb'],
    examples: ['panel logs usage --account alice', 'panel logs usage --account alice --step hour --from 2031-12-31'],
  },
})
