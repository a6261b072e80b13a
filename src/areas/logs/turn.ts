import { and, eq, gt, lt } from 'drizzle-orm'
import type { HostClient } from '../../host/contract/client.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { getSetting, setSetting } from '../../runtime/settings/settings.ts'
import { day as oneDay } from '../../shared/time.ts'
import type { Db, Store } from '../../store/open.ts'
import { accounts } from '../accounts/tables.ts'
import { domainsOf } from '../domains/store.ts'
import { daysBefore, RETENTION_DAYS } from './days.ts'
import { forgetVisitors } from './hashes.ts'
import { daysOpen, forgetSalts } from './salts.ts'
import { trafficDays, usagePoints, visitorDays } from './tables.ts'
import { merged } from './top.ts'

declare module '../../runtime/settings/settings.ts' {
  interface Settings {
    /** The day of the last rotation. */
    logs_begun: string
  }
}

/** Raw logs. */
const logDays = 30
const hourDays = 31
/** Entries kept per ranking after a day: more than are shown, for sums over several days. */
const MAX_CLOSED_DAYS = 40
const BATCH_SIZE = 500

/** Runs after counting, once a day is over: cleans up after it. */
export async function turnOfDay(runtime: Runtime, host: HostClient, today: string, signal: AbortSignal): Promise<void> {
  const { store } = runtime
  const begun = getSetting(store.db, 'logs_begun')
  if (begun === today) return
  await closeDays(store, daysBefore(today, daysOpen - 1), signal)
  await forgetOld(store, today, signal)
  if (begun !== undefined)
    await host.rotateLogs({ day: daysBefore(today, 1), keepFrom: daysBefore(today, logDays) }, { signal })
  if (!signal.aborted) await store.change(() => setSetting(store.db, 'logs_begun', today))
}

/** Deletes visitors' hashes and rare entries. */
async function closeDays(store: Store, before: string, signal: AbortSignal): Promise<void> {
  const { db, change } = store
  const open = and(eq(visitorDays.open, true), lt(visitorDays.day, before))
  for (;;) {
    const days = db.select().from(visitorDays).where(open).limit(BATCH_SIZE).all()
    if (days.length === 0 || signal.aborted) break
    for (const { id } of days) while (!signal.aborted && (await change(() => forgetVisitors(db, id))));
    await change(() => {
      for (const { id, top } of days)
        db.update(visitorDays)
          .set({ open: false, top: merged([top], MAX_CLOSED_DAYS) })
          .where(eq(visitorDays.id, id))
          .run()
    })
  }
  await change(() => forgetSalts(db, before))
}

/** Deletes figures beyond their retention, a few accounts at a time. */
async function forgetOld({ db, change }: Store, today: string, signal: AbortSignal): Promise<void> {
  for (let after = ''; !signal.aborted; ) {
    const found = db
      .select({ id: accounts.id })
      .from(accounts)
      .where(gt(accounts.id, after))
      .orderBy(accounts.id)
      .limit(BATCH_SIZE)
      .all()
    const last = found.at(-1)?.id
    if (last === undefined) return
    await change(() => {
      for (const { id } of found) forgetOf(db, id, today)
    })
    after = last
  }
}

function forgetOf(db: Db, account: string, today: string): void {
  const oldest = daysBefore(today, RETENTION_DAYS - 1)
  db.delete(trafficDays)
    .where(and(eq(trafficDays.account_id, account), lt(trafficDays.day, oldest)))
    .run()
  for (const { id } of domainsOf.all(db, account))
    db.delete(visitorDays)
      .where(and(eq(visitorDays.domain_id, id), lt(visitorDays.day, oldest)))
      .run()
  forgetPoints(db, account, 'day', Date.parse(oldest))
  forgetPoints(db, account, 'hour', Date.parse(today) - (hourDays - 1) * oneDay)
}

const forgetPoints = (db: Db, account: string, step: 'hour' | 'day', before: number): void =>
  void db
    .delete(usagePoints)
    .where(and(eq(usagePoints.account_id, account), eq(usagePoints.step, step), lt(usagePoints.until, before)))
    .run()
