import { and, asc, eq, isNull, lte } from 'drizzle-orm'
import type { Outside } from '../../../runtime/areas/area.ts'
import type { Engine } from '../../../runtime/areas/engine.ts'
import { every } from '../../../runtime/clock/interval.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { day, hour, minute } from '../../../shared/time.ts'
import type { Db } from '../../../store/open.ts'
import { hostNameOf } from '../../accounts/objects/state.ts'
import { accountById } from '../../accounts/store.ts'
import { accounts } from '../../accounts/tables.ts'
import { type DomainRow, domains, htaccessChecks } from '../tables.ts'
import { scanOf } from './scan.ts'

/** One after the other, so that those of a whole server are spread over hours. */
const MAX_CHECKS_PER_MINUTE = 20
const CHECK_TIMEOUT_MS = 30_000

/** Looks in sites for access rules that take no effect: after a change of root or handler, and once a day. */
export const watchHtaccess = (runtime: Runtime, outside: Outside): Engine => ({
  stop: every(runtime, minute, 'the check of .htaccess files failed', async (signal) => {
    for (const domain of due(runtime.store.db, runtime.clock.now())) {
      if (signal.aborted) return
      await check(runtime, outside, domain, signal)
    }
  }),
})

const due = (db: Db, now: number): DomainRow[] =>
  db
    .select({ domain: domains })
    .from(htaccessChecks)
    .innerJoin(domains, eq(domains.id, htaccessChecks.domain_id))
    .innerJoin(accounts, eq(accounts.id, domains.account_id))
    .where(and(lte(htaccessChecks.next_at, now), eq(domains.status, 'active'), isNull(accounts.suspended_at)))
    .orderBy(asc(htaccessChecks.next_at), asc(htaccessChecks.domain_id))
    .limit(MAX_CHECKS_PER_MINUTE)
    .all()
    .map(({ domain }) => domain)

async function check(runtime: Runtime, outside: Outside, domain: DomainRow, signal: AbortSignal): Promise<void> {
  const { store, clock, log } = runtime
  try {
    const ignored = await ignoresAccess(runtime, outside, domain, signal)
    await store.change(() => record(store.db, domain, ignored, clock.now()))
  } catch (error) {
    if (signal.aborted) return
    log.debug({ err: error, domain: domain.name }, '.htaccess files could not be read')
    await store.change(() => postpone(store.db, domain, clock.now() + hour))
  }
}

/** Whether a rule that keeps visitors out takes no effect; apps have rules of their own. */
async function ignoresAccess(
  { store, clock }: Runtime,
  { host }: Outside,
  domain: DomainRow,
  signal: AbortSignal,
): Promise<boolean> {
  const account = accountById(store.db, domain.account_id)
  if (!account || domain.handler === 'app') return false
  const late = new AbortController()
  const cancel = clock.after(CHECK_TIMEOUT_MS, () => late.abort())
  try {
    const either = AbortSignal.any([signal, late.signal])
    const { items } = await host.files(hostNameOf(account)).act('htaccess', scanOf(domain), { signal: either })
    return items.some(({ kind, obeyed }) => kind === 'access' && !obeyed)
  } finally {
    cancel()
  }
}

/** A change of the site meanwhile is looked at again. */
const unchanged = ({ id, document_root, handler }: DomainRow, db: Db): boolean => {
  const now = db.select().from(domains).where(eq(domains.id, id)).get()
  return now?.document_root === document_root && now.handler === handler
}

function record(db: Db, domain: DomainRow, ignored: boolean, now: number): void {
  if (!unchanged(domain, db)) return
  const { id } = domain
  if (!ignored) db.update(htaccessChecks).set({ ignored_since: null }).where(eq(htaccessChecks.domain_id, id)).run()
  else
    db.update(htaccessChecks)
      .set({ ignored_since: now })
      .where(and(eq(htaccessChecks.domain_id, id), isNull(htaccessChecks.ignored_since)))
      .run()
  postpone(db, domain, now + day)
}

const postpone = (db: Db, { id }: DomainRow, next_at: number): void =>
  void db.update(htaccessChecks).set({ next_at }).where(eq(htaccessChecks.domain_id, id)).run()
