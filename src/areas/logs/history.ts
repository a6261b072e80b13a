import { and, asc, desc, eq, gte, lte, sql } from 'drizzle-orm'
import type { AccountUsage } from '../../host/contract/driver.ts'
import { day, hour } from '../../shared/time.ts'
import type { Db, Store } from '../../store/open.ts'
import { prepared } from '../../store/prepared.ts'
import { insertInto, update } from '../../store/rows.ts'

import { type UsagePoint, usageCpu, usagePoints } from './tables.ts'
import { showMonth } from './traffic.ts'

/** CPU time used since the last measurement; null if the host cannot tell. */
function cpuSince({ db }: Store, { id, cpuMs }: AccountUsage): number | null {
  if (cpuMs === undefined) return null
  const before = db.select().from(usageCpu).where(eq(usageCpu.account_id, id)).get()?.total_ms ?? cpuMs
  db.insert(usageCpu)
    .values({ account_id: id, total_ms: cpuMs })
    .onConflictDoUpdate({ target: usageCpu.account_id, set: { total_ms: cpuMs } })
    .run()
  // The counter restarts when all of the account's processes have stopped.
  return cpuMs < before ? cpuMs : cpuMs - before
}

export type UsageStep = UsagePoint['step']
const spans = { hour, day } as const

type UsageValues = Pick<UsagePoint, 'disk_mb' | 'inodes' | 'cpu_ms' | 'memory_mb'>

/** Records an account's measurements by hour and day, in the same change. */
export function keepUsage(store: Store, usage: AccountUsage, now: number): void {
  const values = { disk_mb: usage.diskMb, inodes: usage.inodes, memory_mb: usage.memoryMb ?? null }
  const cpu_ms = cpuSince(store, usage)
  for (const step of ['hour', 'day'] as const)
    keepPoint(store, { account_id: usage.id, step }, { ...values, cpu_ms }, now)
  showMonth(store.db, usage.id, now)
}

const insert = insertInto(usagePoints)
const write = update(usagePoints, 'account_id = ? AND step = ? AND at = ?')

type Series = Pick<UsagePoint, 'account_id' | 'step'>

/** An unchanged value takes one row, however long it lasts. */
function keepPoint({ db, sqlite }: Store, series: Series, measured: UsageValues, now: number): void {
  const { account_id, step } = series
  const at = now - (now % spans[step])
  const last = queries(db).last.get({ account: account_id, step })
  // The clock was set back.
  if (last && last.until > at) return
  const again = last?.until === at
  const values = again ? withTime(measured, last) : measured
  const set = (change: Partial<UsagePoint>) => void write(sqlite, change, account_id, step, last!.at)
  if (last && last.until >= at - spans[step] && isSame(last, values)) return again ? undefined : set({ until: at })
  if (last?.at === at) return set(values)
  if (again) set({ until: at - spans[step] })
  insert(sqlite, { ...series, at, until: at, ...values })
}

/** Adds up the CPU time of an hour or day. */
const withTime = (values: UsageValues, { cpu_ms }: UsageValues): UsageValues =>
  values.cpu_ms === null ? values : { ...values, cpu_ms: values.cpu_ms + (cpu_ms ?? 0) }

const isSame = (one: UsageValues, other: UsageValues): boolean =>
  one.disk_mb === other.disk_mb &&
  one.inodes === other.inodes &&
  one.cpu_ms === other.cpu_ms &&
  one.memory_mb === other.memory_mb

const queries = prepared((db: Db) => {
  const ofSeries = and(
    eq(usagePoints.account_id, sql.placeholder('account')),
    eq(usagePoints.step, sql.placeholder('step')),
  )
  return { last: db.select().from(usagePoints).where(ofSeries).orderBy(desc(usagePoints.at)).limit(1).prepare() }
})

/** An account's usage in a period: an item per measured hour or day. */
export function historyOf(
  db: Db,
  { account_id, step }: Series,
  from: number,
  to: number,
): (UsageValues & { at: number })[] {
  const touching = and(lte(usagePoints.at, to), gte(usagePoints.until, from))
  return db
    .select()
    .from(usagePoints)
    .where(and(eq(usagePoints.account_id, account_id), eq(usagePoints.step, step), touching))
    .orderBy(asc(usagePoints.at))
    .all()
    .flatMap((point) => eachOf(point, { from, to }, spans[step]))
}

function eachOf(point: UsagePoint, { from, to }: { from: number; to: number }, span: number): UsagePoint[] {
  const first = Math.max(point.at, Math.ceil(from / span) * span)
  const count = Math.floor((Math.min(point.until, to) - first) / span) + 1
  return Array.from({ length: Math.max(0, count) }, (_, n) => ({ ...point, at: first + n * span }))
}
