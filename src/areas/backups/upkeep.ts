import { and, asc, eq, isNull, lt, or, sql } from 'drizzle-orm'
import type { Engine } from '../../runtime/areas/engine.ts'
import { every } from '../../runtime/clock/interval.ts'
import { recordEvent } from '../../runtime/events/emit.ts'
import { enqueue } from '../../runtime/jobs/queue.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { getSetting } from '../../runtime/settings/settings.ts'
import { systemActor } from '../../runtime/settings/system.ts'
import { minute } from '../../shared/time.ts'
import { accountById, nameOf } from '../accounts/store.ts'
import { accounts } from '../accounts/tables.ts'
import { packages } from '../packages/tables.ts'
import { newBackup, partsIn } from './create.ts'
import { defaultDestination } from './destinations/store.ts'
import { defaultHour, lastDue } from './due.ts'
import { planOf, setSchedule } from './plan.ts'
import { deleteExpired } from './retention.ts'
import { addBackup, laneOf } from './store.ts'
import { schedules } from './tables.ts'
import { enqueueTrials } from './trials.ts'

/** Backups enqueued, and deleted, per minute, to keep the queue short. */
const pace = 100
/** Enqueues due backups and trials, and deletes expired backups. */
export function beginUpkeep(runtime: Runtime): Engine {
  const stop = every(runtime, minute, 'the check of backups failed', () =>
    runtime.store.change(() => {
      for (const id of accountsDue(runtime)) schedule(runtime, id)
      enqueueTrials(runtime)
      deleteExpired(bySystem(runtime), runtime.clock.now(), pace)
    }),
  )
  return { stop }
}

/** Accounts whose last scheduled backup is older than the last due time. Missed times are made up for once. */
function accountsDue({ store: { db }, clock }: Runtime): string[] {
  const at = getSetting(db, 'backup_hour') ?? defaultHour
  const due = (rhythm: 'daily' | 'weekly') => {
    const time = lastDue(clock.now(), at, rhythm)
    return and(
      eq(sql`coalesce(${schedules.every}, ${packages.backup_schedule})`, rhythm),
      lt(accounts.created_at, time),
      lt(sql`CASE WHEN ${schedules.every} IS NULL THEN ${packages.updated_at} ELSE ${schedules.updated_at} END`, time),
      or(isNull(schedules.last_at), lt(schedules.last_at, time)),
    )
  }
  return db
    .select({ id: accounts.id })
    .from(accounts)
    .innerJoin(packages, eq(packages.id, accounts.package_id))
    .leftJoin(schedules, eq(schedules.account_id, accounts.id))
    .where(and(eq(accounts.terminating, false), eq(accounts.provisioned, true), or(due('daily'), due('weekly'))))
    .orderBy(asc(accounts.id))
    .limit(pace)
    .all()
    .map(({ id }) => id)
}

function bySystem(runtime: Runtime) {
  const { store } = runtime
  const actor = systemActor(store.db)
  return {
    runtime,
    store,
    db: store.db,
    enqueue: (job: Parameters<typeof enqueue>[1]) => enqueue(runtime, job, actor, runtime.id()),
  }
}

function schedule(runtime: Runtime, id: string): void {
  const { db } = runtime.store
  const actor = systemActor(db)
  const now = runtime.clock.now()
  const full = accountById(db, id)!
  const account = nameOf(full)
  const [backup_id, request] = [runtime.id(), runtime.id()]
  const requested = partsIn(undefined)
  const destination_id = planOf(db, full).destination_id ?? defaultDestination(db).id
  const job = { kind: 'backup.account', account, object_id: backup_id, lane: laneOf(id) }
  const job_id = enqueue(runtime, job, actor, request)
  const made = {
    id: backup_id,
    kind: 'scheduled',
    wanted: requested,
    destination_id,
    note: '',
    job_id,
    created_at: now,
  } as const
  addBackup(runtime, newBackup(account, made))
  setSchedule(db, id, { last_at: now }, now)
  const started = { type: 'backup.started', account, object_id: backup_id, details: { parts: requested } } as const
  recordEvent(runtime, started, actor, actor.via, request)
}
