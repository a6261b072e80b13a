import { and, eq, inArray, ne, sql } from 'drizzle-orm'
import { overloaded, Problem } from '../../contract/problem.ts'
import { coalesces } from '../../shared/job-kinds.ts'
import { localNode } from '../../shared/node-name.ts'
import type { Db } from '../../store/open.ts'
import { insertInto, update } from '../../store/rows.ts'
import type { Actor } from '../operations/actor.ts'
import type { NewJob } from '../operations/context.ts'
import type { Runtime } from '../runtime.ts'
import { type JobRow, jobs } from '../tables.ts'
import { coalesce, isLaneFull, withAreas } from './coalesce.sql.ts'
import { attemptsOf, rescheduled } from './reschedule.ts'
import { shareholder } from './shares.ts'

export const unfinished = ['queued', 'leased', 'running'] as const

const insert = insertInto(jobs)
const change = update(jobs, 'id = ?')

/**
 * Enqueues a job inside the change, or returns the id of the queued job that absorbs it. The worker sees it after the
 * commit.
 */
export function enqueue(runtime: Runtime, job: NewJob, actor: Actor, requestId: string): string {
  if (!runtime.kinds.has(job.kind)) throw new Error(`Unknown job kind ${job.kind}`)
  const work = workOf(runtime, job)
  const absorbing = coalesce(runtime, work)
  if (!absorbing) refuseFullLane(runtime, job, work, actor)
  const id = absorbing ?? add(runtime, job, work, requestedBy(actor, requestId))
  for (const hear of runtime.ports.onJob) hear(runtime, job)
  runtime.store.afterCommit(() => runtime.signals.emit('job'))
  return id
}

type Work = Pick<JobRow, 'node' | 'kind' | 'lane' | 'object_id' | 'payload' | 'username' | 'domain'>
type JobRequester = Pick<JobRow, 'actor_type' | 'actor_id' | 'via' | 'request_id'>

const workOf = (
  { ports, store }: Runtime,
  { node, kind, account, object_id, payload = {}, lane, areas }: NewJob,
): Work => ({
  node: node ?? (account ? ports.nodeOf(store.db, account.id) : localNode),
  kind,
  lane: lane ?? account?.id ?? object_id ?? null,
  object_id: object_id ?? account?.id ?? null,
  payload: areas ? withAreas(payload, areas) : payload,
  username: account?.username ?? null,
  domain: account?.domain ?? null,
})

/** Unfinished jobs of a lane, by who adds another: slow ones would otherwise collect for days. Root adds any number. */
const MAX_UNFINISHED_JOBS: Partial<Record<Actor['type'], number>> = { account: 1_000, reseller: 10_000 }

/** 503 `overloaded`; never for a job that waits for no other, such as a suspension. */
function refuseFullLane(runtime: Runtime, { account, kind }: NewJob, { lane }: Work, { type }: Actor): void {
  const max = MAX_UNFINISHED_JOBS[type]
  if (!account || lane === null || max === undefined || !isLaneFull(runtime.store, lane, max)) return
  if (runtime.kinds.get(kind)?.urgent?.(runtime.store.db, account.id)) return
  throw overloaded(`${account.username} has ${max} unfinished jobs: wait until some have ended.`)
}

const requestedBy = (actor: Actor, request_id: string): JobRequester => ({
  actor_type: actor.type,
  actor_id: actor.id,
  via: actor.via,
  request_id,
})

function add(runtime: Runtime, { account }: NewJob, work: Work, requested: JobRequester): string {
  const now = runtime.clock.now()
  const id = runtime.id()
  insert(runtime.store.sqlite, {
    ...work,
    ...requested,
    id,
    max_attempts: attemptsOf(runtime, work.kind),
    status: 'queued',
    urgent: account !== undefined && (runtime.kinds.get(work.kind)?.urgent?.(runtime.store.db, account.id) ?? false),
    tenant: account ? shareholder(runtime.store.db, account.id, account.owner_id) : null,
    account_id: account?.id ?? null,
    owner_id: account?.owner_id ?? requested.actor_id,
    run_at: now,
    created_at: now,
  })
  return id
}

/** The account's unfinished jobs of a kind. */
export const unfinishedJobs = ({ store }: Runtime, accountId: string, kind: string): JobRow[] =>
  store.db
    .select()
    .from(jobs)
    .where(and(eq(jobs.account_id, accountId), eq(jobs.kind, kind), inArray(jobs.status, [...unfinished])))
    .all()

/** The account's unfinished job of a kind, optionally about one object. */
export function unfinishedJob(runtime: Runtime, accountId: string, kind: string, object?: string): JobRow | undefined {
  const about = object === undefined ? undefined : eq(jobs.object_id, object)
  return runtime.store.db
    .select()
    .from(jobs)
    .where(and(eq(jobs.account_id, accountId), eq(jobs.kind, kind), about, inArray(jobs.status, [...unfinished])))
    .get()
}

/** Whether another unfinished job of its kind and object exists. */
export const isFollowed = ({ store }: Runtime, { id, account_id, kind, object_id }: JobRow): boolean =>
  store.db
    .select({ id: jobs.id })
    .from(jobs)
    .where(
      and(
        eq(jobs.account_id, account_id!),
        eq(jobs.kind, kind),
        eq(jobs.object_id, object_id!),
        inArray(jobs.status, [...unfinished]),
        ne(jobs.id, id),
      ),
    )
    .get() !== undefined

/** Adds to the payload of an unfinished job; one waiting for a retry becomes due now. */
export function amend(runtime: Runtime, job: JobRow, payload: JobRow['payload']): void {
  if (Object.keys(payload).length === 0) return
  change(runtime.store.sqlite, { ...rescheduled(runtime, job), payload: { ...job.payload, ...payload } }, job.id)
  runtime.store.afterCommit(() => runtime.signals.emit('job'))
}

/** 409 `not-retryable` for a job that has not failed, or that is unsafe to repeat. */
export function refuseUnretryable(runtime: Runtime, { kind, status }: JobRow): void {
  if (!runtime.kinds.has(kind) || !coalesces(kind))
    throw new Problem('not-retryable', `A job of kind ${kind} cannot be retried. Make the change again.`)
  if (status !== 'failed')
    throw new Problem('not-retryable', `Only a failed job can be retried. This one is ${status}.`)
}

/**
 * Enqueues a failed job again as the caller's, with a new job's attempts. Returns its id, or that of a queued job of
 * the same kind and object.
 */
export function retry(runtime: Runtime, job: JobRow, actor: Actor, requestId: string): string {
  const id = coalesce(runtime, job) ?? job.id
  if (id === job.id) {
    const fresh = { status: 'queued', attempts: 0, progress_pct: 0, step: null, step_times: null, error: null } as const
    const times = { run_at: runtime.clock.now(), started_at: null, finished_at: null }
    const max_attempts = attemptsOf(runtime, job.kind)
    const { username, domain, account_id, owner_id } = job
    const tenant = account_id === null ? null : shareholder(runtime.store.db, account_id, owner_id)
    change(
      runtime.store.sqlite,
      { ...fresh, ...times, max_attempts, username, domain, tenant, ...requestedBy(actor, requestId) },
      job.id,
    )
  }
  runtime.store.afterCommit(() => runtime.signals.emit('job'))
  return id
}

/** Cancels a queued job, or asks a running one to stop. 409 `not-cancellable` for kinds that must converge. */
export function cancel(runtime: Runtime, job: JobRow): void {
  const kind = runtime.kinds.get(job.kind)
  if (!kind?.cancellable) throw new Problem('not-cancellable', `A job of kind ${job.kind} cannot be cancelled.`)
  if (!(unfinished as readonly string[]).includes(job.status))
    throw new Problem('not-cancellable', `The job has already ended: ${job.status}.`)
  if (kind.isTooLate?.(job))
    throw new Problem('not-cancellable', 'The job has done what it is for: it cannot be undone.')
  stopJob(runtime, job)
}

/** Cancels a queued job, or asks a running one to stop, whatever its kind. Inside a change. */
export function stopJob(runtime: Runtime, job: JobRow): void {
  const queued = runtime.store.db
    .update(jobs)
    .set({ status: 'cancelled', finished_at: runtime.clock.now() })
    .where(and(eq(jobs.id, job.id), eq(jobs.status, 'queued')))
    .run()
  if (queued.changes > 0) return runtime.kinds.get(job.kind)?.cancelled?.(runtime, job)
  runtime.store.db.update(jobs).set({ cancel_requested: true }).where(eq(jobs.id, job.id)).run()
  runtime.store.afterCommit(() => runtime.signals.emit('cancel', job.id))
}

/** Cancels what is queued in a lane, for example what the end of its account overtook. Inside a change. */
export function cancelQueued(runtime: Runtime, lane: string): void {
  const queued = and(eq(jobs.lane, lane), eq(jobs.status, 'queued'))
  for (const job of runtime.store.db.select().from(jobs).where(queued).all()) stopJob(runtime, job)
}

const MAX_BACKOFF_MS = 15 * 60_000

/** The newest job's id: jobs of a lane run in order of id, so later ids must be greater. */
export const lastJob = (db: Db): string | undefined =>
  db.get<{ id: string | null }>(sql`SELECT max(id) AS id FROM jobs`)?.id ?? undefined

/** Milliseconds before the next attempt. */
export const backoff = (attempts: number): number => Math.min(1000 * 4 ** (attempts - 1), MAX_BACKOFF_MS)

/** Moves due times back with the clock, so that no job waits longer than intended. Inside a change. */
export function setBack({ store, clock }: Runtime, by: number): void {
  store.db.run(sql`UPDATE jobs SET run_at = run_at - ${by} WHERE status = 'queued' AND run_at > ${clock.now()}`)
  store.db.run(sql`UPDATE jobs SET lease_until = lease_until - ${by} WHERE status IN ('leased', 'running')`)
}

/** At start, how far the clock went back is unknown: cap every wait at the longest retry delay. */
export function boundWaits({ store, clock }: Runtime): void {
  const now = clock.now()
  store.db.run(sql`UPDATE jobs SET run_at = ${now} WHERE status = 'queued' AND run_at > ${now + MAX_BACKOFF_MS}`)
}
