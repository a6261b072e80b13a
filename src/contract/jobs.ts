import { z } from 'zod'
import { type AccountArea, component, Id, Millis, pageOf, paging } from './common.ts'
import { NodeName } from './node-names.ts'
import { operation } from './operation.ts'

export const jobStatuses = ['queued', 'leased', 'running', 'succeeded', 'failed', 'cancelled'] as const
export type JobStatus = (typeof jobStatuses)[number]
/** All job steps: each kind has some of these, in its own order. */
export const jobSteps = [
  'stop',
  'prepare',
  'order',
  'prove',
  'fetch',
  'install',
  'build',
  'check',
  'inspect',
  'unpack',
  'judge',
  'account',
  'settle',
  'backup',
  'config',
  'dns',
  'mysql',
  'mail',
  'files',
  'apply',
  'measure',
  'switch',
  'remove',
  'finish',
] as const
export type JobStep = (typeof jobSteps)[number]
export const logLevels = ['info', 'warn', 'error'] as const

/** A background job (contract: StoreJob). `queued`, `leased` and `running` are not final. */
export const Job = component(
  'Job',
  z.strictObject({
    id: Id,
    kind: z.string(),
    status: z.enum(jobStatuses),
    attempts: z.int().min(0),
    max_attempts: z.int().min(1),
    progress_pct: z.int().min(0).max(100),
    step: z.enum(jobSteps).optional().describe('Where it is, or where it ended'),
    steps: z
      .array(z.enum(jobSteps))
      .optional()
      .describe('What jobs of its kind go through, in order; some are passed over'),
    step_times: z
      .array(z.strictObject({ step: z.enum(jobSteps), at: Millis }))
      .optional()
      .describe('When each step of this attempt began, in order'),
    created_at: Millis,
    started_at: Millis.optional(),
    finished_at: Millis.optional(),
    payload: z.record(z.string(), z.string()).describe('Names of the objects it works on, never data'),
    account_id: Id.optional(),
    username: z.string().optional().describe('Of the account, when the job was queued'),
    error: z.string().optional().describe('Why it failed, in one sentence'),
    node: z.string().optional().describe("Whose host it works on, where that is not the control plane's own"),
    waiting_for: z.string().optional().describe('What it waits for besides its turn, in one sentence'),
  }),
)

export const LogLine = component(
  'JobLogLine',
  z.strictObject({
    at: Millis.describe('Strictly increasing within a job'),
    level: z.enum(logLevels),
    message: z.string(),
  }),
)

/** The kinds of job, by first word, that each area of account tokens can start. */
export const kindsOfArea = {
  domains: ['domain'],
  dns: ['dns'],
  email: ['email'],
  files: ['files', 'app', 'ftp'],
  mysql: ['mysql'],
  ssl: ['ssl'],
  ssh: ['ssh'],
  cron: ['cron'],
} as const satisfies Partial<Record<AccountArea, readonly string[]>>

/** Kinds of which an account token needs several areas to see them. */
export const areasOfWord = { wordpress: ['files', 'mysql'] } as const satisfies Readonly<
  Record<string, readonly AccountArea[]>
>

/** `account` covers every job of the account, other areas their kinds above. */
const jobAreas = ['account', 'domains', 'dns', 'email', 'files', 'mysql', 'ssl', 'ssh', 'cron'] as const
const ofAccount = {
  allow: { reseller: 'own', customer: true },
  token: { admin: ['accounts'], account: jobAreas },
} as const

const JobAndLog = component('JobAndLog', z.strictObject({ job: Job, log: z.array(LogLine) }))
const params = z.strictObject({ id: Id.describe('The job') })
const accountJobs = z.strictObject({ id: Id.describe('The account') })
const accountJob = z.strictObject({ id: Id.describe('The account'), jid: Id.describe('The job') })
const filters = {
  status: z.enum(jobStatuses).optional().describe('Only jobs in this status'),
  kind: z.string().max(64).optional().describe('Only jobs of this kind'),
}
const logQuery = z.strictObject({ log_after: Millis.optional().describe('Only log lines after this `at`') })
const columns = ['id', 'username', 'kind', 'status', 'step', 'progress_pct', 'created_at', 'error'] as const
const visible = [
  'job.id',
  'job.username',
  'job.kind',
  'job.status',
  'job.step',
  'job.progress_pct',
  'job.attempts',
  'job.error',
  'job.waiting_for',
] as const

export const listJobs = operation({
  id: 'listJobs',
  method: 'get',
  path: '/jobs',
  area: 'jobs',
  summary: 'List jobs',
  query: z.strictObject({
    ...paging,
    ...filters,
    account_id: Id.optional().describe('Only jobs of this account'),
    node: NodeName.optional().describe('Only jobs of this node'),
  }),
  status: 200,
  answer: pageOf(Job),
  allow: { reseller: 'own' },
  token: { admin: ['accounts'], account: 'none' },
  cli: {
    words: ['jobs', 'list'],
    newest: true,
    columns,
    examples: ['panel jobs list', 'panel jobs list --status failed'],
  },
})

export const getJob = operation({
  id: 'getJob',
  method: 'get',
  path: '/jobs/{id}',
  area: 'jobs',
  summary: 'Show a job and its log',
  params,
  query: logQuery,
  status: 200,
  answer: JobAndLog,
  allow: { reseller: 'own', customer: true },
  token: { admin: ['accounts', 'packages', 'server'], account: 'none' },
  cli: { words: ['jobs', 'show'], columns: visible, examples: ['panel jobs show 01K9ZQ5T3M8V4X7C2B6N1D0FGH'] },
})

export const cancelJob = operation({
  id: 'cancelJob',
  method: 'post',
  path: '/jobs/{id}/cancel',
  area: 'jobs',
  summary: 'Cancel a job',
  description: 'Only for kinds that can be cancelled; lifecycle jobs of accounts cannot.',
  params,
  status: 202,
  answer: JobAndLog,
  allow: { reseller: 'own' },
  token: { admin: ['accounts'], account: 'none' },
  emits: [],
  problems: ['not-cancellable'],
  cli: { words: ['jobs', 'cancel'], columns: visible, examples: ['panel jobs cancel 01K9ZQ5T3M8V4X7C2B6N1D0FGH'] },
})

export const retryJob = operation({
  id: 'retryJob',
  method: 'post',
  path: '/jobs/{id}/retry',
  area: 'jobs',
  summary: 'Retry a failed job',
  description:
    'Only for kinds that end in `update`, `apply` or `password`, which apply the state of the store to the host. It gets all its attempts again; if such a job is already queued, that job is returned.',
  params,
  status: 202,
  answer: JobAndLog,
  allow: { reseller: 'own' },
  token: { admin: ['accounts'], account: 'none' },
  emits: [],
  problems: ['busy', 'not-retryable'],
  cli: { words: ['jobs', 'retry'], columns: visible, examples: ['panel jobs retry 01K9ZQ5T3M8V4X7C2B6N1D0FGH'] },
})

export const listJobsForAccount = operation({
  id: 'listJobsForAccount',
  method: 'get',
  path: '/accounts/{id}/jobs',
  area: 'jobs',
  summary: "List an account's jobs",
  params: accountJobs,
  query: z.strictObject({ ...paging, ...filters }),
  status: 200,
  answer: pageOf(Job),
  ...ofAccount,
  cli: {
    words: ['jobs', 'list'],
    variant: 'account',
    newest: true,
    columns,
    examples: ['panel jobs list --account alice'],
  },
})

export const getJobForAccount = operation({
  id: 'getJobForAccount',
  method: 'get',
  path: '/accounts/{id}/jobs/{jid}',
  area: 'jobs',
  summary: "Show one of an account's jobs and its log",
  params: accountJob,
  query: logQuery,
  status: 200,
  answer: JobAndLog,
  ...ofAccount,
  cli: {
    words: ['jobs', 'show'],
    variant: 'account',
    columns: visible,
    examples: ['panel jobs show 01K9ZQ5T3M8V4X7C2B6N1D0FGH --account alice'],
  },
})

export const cancelJobForAccount = operation({
  id: 'cancelJobForAccount',
  method: 'post',
  path: '/accounts/{id}/jobs/{jid}/cancel',
  area: 'jobs',
  summary: "Cancel one of an account's jobs",
  description: 'Only for kinds that can be cancelled; lifecycle jobs of accounts cannot.',
  params: accountJob,
  status: 202,
  answer: JobAndLog,
  ...ofAccount,
  emits: [],
  problems: ['not-cancellable'],
  terminating: 'allowed',
  cli: {
    words: ['jobs', 'cancel'],
    variant: 'account',
    columns: visible,
    examples: ['panel jobs cancel 01K9ZQ5T3M8V4X7C2B6N1D0FGH --account alice'],
  },
})

export const retryJobForAccount = operation({
  id: 'retryJobForAccount',
  method: 'post',
  path: '/accounts/{id}/jobs/{jid}/retry',
  area: 'jobs',
  summary: "Retry one of an account's failed jobs",
  description: 'As `retryJob`.',
  params: accountJob,
  status: 202,
  answer: JobAndLog,
  ...ofAccount,
  emits: [],
  problems: ['not-retryable'],
  cli: {
    words: ['jobs', 'retry'],
    variant: 'account',
    columns: visible,
    examples: ['panel jobs retry 01K9ZQ5T3M8V4X7C2B6N1D0FGH --account alice'],
  },
})
