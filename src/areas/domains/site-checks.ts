import { and, asc, eq, isNull, lte, sql } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Engine } from '../../runtime/areas/engine.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { day, hour, minute } from '../../shared/time.ts'
import type { Db } from '../../store/open.ts'
import { accounts } from '../accounts/tables.ts'
import { onEachNode } from '../nodes/rounds.ts'
import { type DomainRow, domains } from './tables.ts'

/** On each node, one after the other, so that those of a server are spread over hours. */
const MAX_CHECKS_PER_MINUTE = 20
const CHECK_TIMEOUT_MS = 30_000

/** When a check of each site is due; triggers add the rows, and make a changed site due. */
type Schedule = SQLiteTable & { readonly domain_id: SQLiteColumn; readonly next_at: SQLiteColumn }

interface SiteCheck {
  readonly schedule: Schedule
  /** What the log says if all the checks failed, or that of one site. */
  readonly failures: { readonly all: string; readonly one: string }
  readonly run: (domain: DomainRow, signal: AbortSignal) => Promise<void>
}

/** Checks the sites that are due, on each node by itself; one that could not be checked is due again in an hour. */
export const checkSites = (runtime: Runtime, check: SiteCheck): Engine =>
  onEachNode(runtime, {
    ms: minute,
    failure: check.failures.all,
    run: (node, signal) => checkNode(runtime, check, node, signal),
  })

async function checkNode(runtime: Runtime, check: SiteCheck, node: string, signal: AbortSignal): Promise<void> {
  for (const domain of due(runtime.store.db, check.schedule, runtime.clock.now(), node)) {
    if (signal.aborted) return
    await checkOne(runtime, check, domain, signal)
  }
}

async function checkOne(
  { store, clock, log }: Runtime,
  { schedule, failures, run }: SiteCheck,
  domain: DomainRow,
  signal: AbortSignal,
): Promise<void> {
  try {
    await run(domain, signal)
  } catch (error) {
    if (signal.aborted) return
    log.debug({ err: error, domain: domain.name }, failures.one)
    await store.change(() => checkAt(store.db, schedule, domain.id, clock.now() + hour))
  }
}

const due = (db: Db, schedule: Schedule, now: number, node: string): DomainRow[] =>
  db
    .select({ domain: domains })
    .from(domains)
    .innerJoin(schedule, eq(domains.id, schedule.domain_id))
    .innerJoin(accounts, eq(accounts.id, domains.account_id))
    .where(
      and(
        lte(schedule.next_at, now),
        eq(domains.status, 'active'),
        isNull(accounts.suspended_at),
        eq(accounts.node, node),
      ),
    )
    .orderBy(asc(schedule.next_at), asc(schedule.domain_id))
    .limit(MAX_CHECKS_PER_MINUTE)
    .all()
    .map(({ domain }) => domain)

/** Inside a change: the site was checked. */
export const checkTomorrow = ({ store, clock }: Runtime, schedule: Schedule, domain: string): void =>
  checkAt(store.db, schedule, domain, clock.now() + day)

/** Inside a change: the site is checked in the next minute. */
export const checkSoon = (db: Db, schedule: Schedule, domain: string): void => checkAt(db, schedule, domain, 0)

const checkAt = (db: Db, schedule: Schedule, domain: string, next_at: number): void =>
  void db.run(sql`UPDATE ${schedule} SET next_at = ${next_at} WHERE domain_id = ${domain}`)

/** Ends work on a host that takes too long for a check. */
export async function withinCheckTime<T>(
  { clock }: Runtime,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const cancel = clock.after(CHECK_TIMEOUT_MS, () => late.abort())
  try {
    return await work(AbortSignal.any([signal, late.signal]))
  } finally {
    cancel()
  }
}
