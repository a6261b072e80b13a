import { asc, eq, lte, or } from 'drizzle-orm'
import type { Engine } from '../../../runtime/areas/engine.ts'
import { every } from '../../../runtime/clock/interval.ts'
import { enqueue } from '../../../runtime/jobs/queue.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { systemActor } from '../../../runtime/settings/system.ts'
import { minute } from '../../../shared/time.ts'
import { accountById, nameOf } from '../../accounts/store.ts'
import type { ZoneRow } from '../../dns/tables.ts'
import { domainById } from '../../domains/store.ts'
import type { DomainRow } from '../../domains/tables.ts'
import { changesOf } from '../dkim/upkeep.ts'
import { domainsIn, exchangersOf } from '../domains/routing.ts'
import { type MtaStsRow, mtaSts } from '../tables.ts'
import { mtaStsOf, nextPolicyId, policyAreas, removeMtaSts, setMtaStsRow } from './policy.ts'
import { publishPolicy, withdrawPolicy } from './records.ts'

/** Policies per minute. */
const pace = 20

/** A policy may name other mail servers than the zone now. */
export function followExchangers(ctx: Pick<Context, 'store' | 'db'>, { account_id, domain_id }: ZoneRow): void {
  for (const domain of domainsIn(ctx.db, account_id, domain_id)) markStale(ctx, domain)
}

/** The next round compares its mail servers. */
export function markStale(ctx: Pick<Context, 'store' | 'db'>, { id }: DomainRow): void {
  if (mtaStsOf(ctx.db, id)) setMtaStsRow(ctx, id, { is_stale: true })
}

const due = ({ store, clock }: Runtime): MtaStsRow[] =>
  store.db
    .select()
    .from(mtaSts)
    .where(or(eq(mtaSts.is_stale, true), lte(mtaSts.ends_at, clock.now())))
    .orderBy(asc(mtaSts.domain_id))
    .limit(pace)
    .all()

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  JSON.stringify(one.toSorted()) === JSON.stringify(other.toSorted())

/** Ends a policy or brings it up to date; returns whether the host has to follow. */
function settle(runtime: Runtime, row: MtaStsRow, domain: DomainRow): boolean {
  const { db } = runtime.store
  const changes = changesOf(runtime)
  const account = nameOf(accountById(db, domain.account_id)!)
  if (row.ends_at !== null && row.ends_at <= changes.now) {
    withdrawPolicy(changes, account, domain)
    removeMtaSts(db, domain.id)
    return true
  }
  const mx = exchangersOf(db, domain)
  if (isSame(mx, row.mx)) {
    setMtaStsRow(changes, domain.id, { is_stale: false })
    return false
  }
  const next = { ...row, mx, policy_id: nextPolicyId(row.policy_id, changes.now), is_stale: false }
  setMtaStsRow(changes, domain.id, next)
  publishPolicy(changes, account, domain, next)
  return true
}

function settleAll(runtime: Runtime): void {
  for (const row of due(runtime)) {
    const domain = domainById(runtime.store.db, row.domain_id)!
    const account = accountById(runtime.store.db, row.account_id)!
    if (account.terminating || !settle(runtime, row, domain)) continue
    const job = { kind: 'email.domain.update', account: nameOf(account), object_id: domain.id, areas: policyAreas }
    enqueue(runtime, job, systemActor(runtime.store.db), runtime.id())
  }
}

/** Ends policies whose time is over, and has the others name the mail servers of their zones. */
export function beginPolicies(runtime: Runtime): Engine {
  const stop = every(runtime, minute, 'policies of MTA-STS could not be brought up to date', async () => {
    if (due(runtime).length > 0) await runtime.store.change(() => settleAll(runtime))
  })
  return { stop }
}
