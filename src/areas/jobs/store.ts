import { and, eq, gt, or, type SQL, sql } from 'drizzle-orm'
import type { z } from 'zod'
import type { AccountArea } from '../../contract/common.ts'
import { areasOfWord, type Job, type JobStatus, type JobStep, kindsOfArea, type LogLine } from '../../contract/jobs.ts'
import { notFound } from '../../contract/problem.ts'
import { withoutAreas } from '../../runtime/jobs/coalesce.sql.ts'
import { type Actor, isRoot } from '../../runtime/operations/actor.ts'
import { inScope, requireScopes } from '../../runtime/operations/authorize.ts'
import type { Context } from '../../runtime/operations/context.ts'
import { present } from '../../runtime/operations/list.ts'
import { type JobRow, jobLogs, jobs } from '../../runtime/tables.ts'
import { maskOf } from '../../shared/mask.ts'
import { localNode } from '../../shared/node-name.ts'
import { type Paging, page } from '../../store/page.ts'

const areas = Object.entries(kindsOfArea) as [AccountArea, readonly string[]][]

const firstWord = (kind: string): string => kind.slice(0, kind.indexOf('.'))

const several = Object.entries(areasOfWord) as [string, readonly AccountArea[]][]

/** The areas whose tokens may access jobs of a kind: each of one of these sets. */
const areasOfKind = (kind: string): (readonly AccountArea[])[] => [
  ['account'],
  ...areas.filter(([, words]) => words.includes(firstWord(kind))).map(([area]) => [area]),
  ...several.filter(([word]) => word === firstWord(kind)).map(([, set]) => set),
]

/** 403 `token-scope` for an account token without an area that starts jobs of this kind. */
function refuseBeyondToken({ actor, op }: Context, kind: string): void {
  if (op && actor.token?.kind === 'account') requireScopes(op, actor.token, areasOfKind(kind))
}

/** Limits a list to the jobs that an account token may see; undefined means all of the account. */
function withinToken({ token }: Actor): SQL | undefined {
  if (token?.kind !== 'account' || inScope(token, 'account', true)) return undefined
  const isIn = (area: AccountArea): boolean => inScope(token, area, true)
  const ofOne = areas.filter(([area]) => isIn(area)).flatMap(([, words]) => words)
  const ofSeveral = several.filter(([, set]) => set.every(isIn)).map(([word]) => word)
  return or(...[...ofOne, ...ofSeveral].map((word) => sql`${jobs.kind} GLOB ${`${word}.*`}`))
}

interface JobFilter extends Paging {
  status?: JobStatus
  kind?: string
  account_id?: string
  node?: string
}

/** Jobs outlive their account, so who may see them is stored with them. */
function visible(actor: Actor): SQL | undefined {
  if (isRoot(actor)) return undefined
  return actor.type === 'reseller' ? eq(jobs.owner_id, actor.id) : eq(jobs.account_id, actor.id)
}

/**
 * The job, or 404 `not-found` if it is unknown, not the actor's, or not of the given account. 403 `token-scope` for an
 * account token without an area that starts such jobs.
 */
export function findJob(ctx: Context, id: string, accountId?: string): JobRow {
  const where = and(eq(jobs.id, id), accountId === undefined ? visible(ctx.actor) : eq(jobs.account_id, accountId))
  const job = ctx.db.select().from(jobs).where(where).get()
  if (!job) throw notFound('job')
  refuseBeyondToken(ctx, job.kind)
  return job
}

export function listJobs(ctx: Context, query: JobFilter) {
  const where = and(
    visible(ctx.actor),
    query.status === undefined ? undefined : eq(jobs.status, query.status),
    query.kind === undefined ? undefined : eq(jobs.kind, query.kind),
    query.account_id === undefined ? undefined : eq(jobs.account_id, query.account_id),
    query.node === undefined ? undefined : eq(jobs.node, query.node),
    withinToken(ctx.actor),
  )
  const rows = ctx.db.select().from(jobs).$dynamic()
  const { items, total } = page(ctx.db, { rows, table: jobs, id: jobs.id, where }, query)
  return { items: items.map((row) => toJob(ctx, row)), total }
}

/** The job's log lines after a time, oldest first, with secrets masked. */
export function logOf({ db }: Context, id: string, secrets: readonly string[], after = -1): z.infer<typeof LogLine>[] {
  const masked = maskOf(secrets)
  return db
    .select({ at: jobLogs.at, level: jobLogs.level, message: jobLogs.message })
    .from(jobLogs)
    .where(and(eq(jobLogs.job_id, id), gt(jobLogs.at, after)))
    .orderBy(jobLogs.at)
    .all()
    .map((line) => ({ ...line, message: masked(line.message) }))
}

export const toJob = ({ runtime }: Pick<Context, 'runtime'>, row: JobRow): z.infer<typeof Job> => ({
  id: row.id,
  kind: row.kind,
  status: row.status,
  attempts: row.attempts,
  max_attempts: row.max_attempts,
  progress_pct: row.progress_pct,
  ...present({ step: row.step, steps: stepsOf(runtime, row), step_times: row.step_times }),
  created_at: row.created_at,
  ...present({ started_at: row.started_at, finished_at: row.finished_at }),
  payload: withoutAreas(row.payload),
  ...present({ account_id: row.account_id, username: row.username, error: row.error }),
  ...(row.node === localNode ? {} : { node: row.node }),
  ...(row.status === 'queued' ? present({ waiting_for: runtime.nodes.why(row.node) }) : {}),
})

const stepsOf = ({ kinds }: Pick<Context['runtime'], 'kinds'>, { kind }: JobRow): JobStep[] | undefined => {
  const steps = kinds.get(kind)?.steps
  return steps && [...steps]
}
