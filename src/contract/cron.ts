import { z } from 'zod'
import { CommandLine } from './command-line.ts'
import { component, Id, listOf, Millis } from './common.ts'
import { operation } from './operation.ts'

export const cronTriggers = ['schedule', 'manual'] as const
export const cronOutcomes = ['running', 'succeeded', 'failed', 'timeout', 'interrupted', 'skipped'] as const

const maxSeconds = 86_400

const Schedule = z
  .string()
  .trim()
  .min(1)
  .max(512)
  .describe(
    'Five fields (minute, hour, day, month, weekday) as in a crontab, or @hourly, @daily (@midnight), @weekly, @monthly, @yearly (@annually); in the time zone of the server',
  )
const Command = CommandLine.describe('Command that the shell runs in the home directory; a % is an ordinary character')
const settings = {
  mail: z.boolean().optional().describe("Mail its output to the account's contact address (default: true)"),
  enabled: z.boolean().optional().describe('Whether it runs by its schedule (default: true)'),
  timeout_s: z
    .int()
    .min(1)
    .max(maxSeconds)
    .optional()
    .describe('Seconds after which a run and all that it started are killed (default: 3600)'),
  comment: z
    .string()
    .max(255)
    .regex(/^[^\p{Cc}]*$/u, 'must not contain control characters')
    .optional()
    .describe('What it is for'),
}

const run = {
  id: Id,
  trigger: z.enum(cronTriggers),
  outcome: z
    .enum(cronOutcomes)
    .describe(
      '`skipped`: the run before had not ended; `interrupted`: ended from outside, as by a suspension or a restart of the server',
    ),
  exit_code: z.int().optional(),
  signal: z.string().optional().describe('What killed it'),
  started_at: Millis,
  finished_at: Millis.optional(),
}

export const CronRun = component(
  'CronRun',
  z.strictObject({
    ...run,
    output: z.string().optional().describe('The last 64 KiB of its output, including errors; shown by `getCronRun`'),
    truncated: z.boolean().optional().describe('Whether it wrote more'),
  }),
)

export const CronJob = component(
  'CronJob',
  z.strictObject({
    id: Id,
    schedule: z.string(),
    schedule_description: z.string().describe('The schedule in words, such as `every day at 4:00`'),
    command: z.string(),
    mail: z.boolean(),
    enabled: z.boolean(),
    timeout_s: z.int(),
    comment: z.string(),
    next_run_at: Millis.optional().describe('Absent while it is disabled or the account is suspended'),
    last_run: z.strictObject(run).optional(),
    created_at: Millis,
    updated_at: Millis,
  }),
)

const job_id = Id.describe('The job that applies the change')
const CronJobAccepted = component('CronJobAccepted', z.strictObject({ cron_job: CronJob, job_id }))

const account = { id: Id.describe('The account') }
const params = z.strictObject(account)
const member = z.strictObject({ ...account, cid: Id.describe('The cron job') })

const area = 'cron'
const access = {
  allow: { reseller: 'create-user-session', customer: true },
  token: { admin: ['accounts'], account: 'cron' },
} as const
const ended = ['job.completed', 'job.failed'] as const
const applied = { status: 202, answer: CronJobAccepted, job: 'cron.apply', emits: ended } as const
const columns = [
  'id',
  'schedule',
  'schedule_description',
  'command',
  'enabled',
  'next_run_at',
  'last_run.outcome',
] as const
const runColumns = ['id', 'trigger', 'outcome', 'exit_code', 'started_at', 'finished_at'] as const
const example = '01K9ZQ5T3M8V4X7C2B6N1D0FGH'

export const listCronJobs = operation({
  id: 'listCronJobs',
  method: 'get',
  path: '/accounts/{id}/cron/jobs',
  area,
  summary: "List an account's cron jobs",
  params,
  status: 200,
  answer: listOf(CronJob),
  ...access,
  cli: {
    words: ['cron', 'list'],
    variant: 'account',
    columns,
    examples: ['panel cron list --account alice', 'panel cron list --account alice --columns id,schedule,comment'],
  },
})

export const createCronJob = operation({
  id: 'createCronJob',
  method: 'post',
  path: '/accounts/{id}/cron/jobs',
  area,
  summary: 'Create a cron job',
  description:
    'Day and weekday must both match if either begins with `*`; otherwise one of them is enough, as in Debian. A command never runs twice at the same time. An account has up to 50 cron jobs.',
  params,
  body: component('CreateCronJob', z.strictObject({ schedule: Schedule, command: Command, ...settings })),
  ...applied,
  ...access,
  feature: 'cron',
  problems: ['too-many'],
  cli: {
    words: ['cron', 'create'],
    variant: 'account',
    columns,
    show: 'cron_job',
    examples: ["panel cron create --account alice --schedule '*/5 * * * *' --command 'php ~/sites/a/cron.php'"],
  },
})

export const getCronJob = operation({
  id: 'getCronJob',
  method: 'get',
  path: '/accounts/{id}/cron/jobs/{cid}',
  area,
  summary: 'Show a cron job',
  params: member,
  status: 200,
  answer: CronJob,
  ...access,
  cli: { words: ['cron', 'show'], variant: 'account', columns, examples: [`panel cron show ${example} -a alice`] },
})

export const updateCronJob = operation({
  id: 'updateCronJob',
  method: 'patch',
  path: '/accounts/{id}/cron/jobs/{cid}',
  area,
  summary: 'Change a cron job',
  description: 'A run in progress is not affected.',
  params: member,
  body: component(
    'UpdateCronJob',
    z.strictObject({ schedule: Schedule.optional(), command: Command.optional(), ...settings }),
  ),
  ...applied,
  ...access,
  feature: 'cron',
  cli: {
    words: ['cron', 'update'],
    variant: 'account',
    columns,
    show: 'cron_job',
    examples: [`panel cron update ${example} -a alice --schedule @daily`],
  },
})

export const deleteCronJob = operation({
  id: 'deleteCronJob',
  method: 'delete',
  path: '/accounts/{id}/cron/jobs/{cid}',
  area,
  summary: 'Delete a cron job',
  description: 'Deletes its runs too, and ends a run in progress.',
  params: member,
  ...applied,
  ...access,
  cli: {
    words: ['cron', 'delete'],
    variant: 'account',
    columns,
    show: 'cron_job',
    confirm: 'yes',
    examples: [`panel cron delete ${example} -a alice`],
  },
})

export const runCronJob = operation({
  id: 'runCronJob',
  method: 'post',
  path: '/accounts/{id}/cron/jobs/{cid}/run',
  area,
  summary: 'Run a cron job now',
  description: 'The job succeeds if the command does: its exit code is 0.',
  params: member,
  status: 202,
  answer: component('CronRunAccepted', z.strictObject({ run: CronRun, job_id: Id.describe('The job that runs it') })),
  job: 'cron.run',
  emits: ended,
  ...access,
  feature: 'cron',
  problems: ['suspended', 'not-configured', 'busy'],
  cli: {
    words: ['cron', 'run'],
    variant: 'account',
    columns: runColumns,
    show: 'run',
    examples: [`panel cron run ${example} -a alice`],
  },
})

export const listCronRuns = operation({
  id: 'listCronRuns',
  method: 'get',
  path: '/accounts/{id}/cron/jobs/{cid}/runs',
  area,
  summary: 'List the runs of a cron job',
  description: 'The newest 50, the newest first.',
  params: member,
  status: 200,
  answer: listOf(CronRun),
  ...access,
  cli: {
    words: ['cron', 'runs'],
    variant: 'account',
    columns: runColumns,
    examples: [`panel cron runs ${example} -a alice`],
  },
})

export const getCronRun = operation({
  id: 'getCronRun',
  method: 'get',
  path: '/accounts/{id}/cron/jobs/{cid}/runs/{rid}',
  area,
  summary: 'Show a run of a cron job with its output',
  params: z.strictObject({ ...member.shape, rid: Id.describe('The run') }),
  status: 200,
  answer: CronRun,
  ...access,
  cli: {
    words: ['cron', 'output'],
    variant: 'account',
    columns: runColumns,
    text: 'output',
    examples: [`panel cron output ${example} 01K9ZQ6A0B1C2D3E4F5G6H7J8K -a alice`],
  },
})
