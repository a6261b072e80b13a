import { and, asc, eq, inArray, isNull, lte } from 'drizzle-orm'
import type { HostClient } from '../../host/contract/client.ts'
import type { Outside } from '../../runtime/areas/area.ts'
import type { Engine } from '../../runtime/areas/engine.ts'
import { every } from '../../runtime/clock/interval.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { day, hour, minute } from '../../shared/time.ts'
import type { Db } from '../../store/open.ts'
import { hostNameOf } from '../accounts/objects/state.ts'
import { accountById } from '../accounts/store.ts'
import { accounts } from '../accounts/tables.ts'
import { domainById } from '../domains/store.ts'
import { type DomainRow, domains } from '../domains/tables.ts'
import { recordScan, type ScanCounts } from './record.ts'
import { wordpressScans } from './tables.ts'

/** One after the other, so that those of a server are spread over hours. */
const MAX_SCANS_PER_MINUTE = 20
const SCAN_TIMEOUT_MS = 30_000

/** Scans a domain's document root, and stores what it found; undefined if the root has changed meanwhile. */
export async function scanDomain(
  runtime: Runtime,
  host: HostClient,
  domain: DomainRow,
  signal: AbortSignal,
): Promise<ScanCounts | undefined> {
  const { store, clock } = runtime
  const account = accountById(store.db, domain.account_id)
  if (!account) return undefined
  const late = new AbortController()
  const cancel = clock.after(SCAN_TIMEOUT_MS, () => late.abort())
  try {
    const either = AbortSignal.any([signal, late.signal])
    const root = Buffer.from(domain.document_root!).toString('base64')
    const scanned = await host.files(hostNameOf(account)).act('wordpress', { root }, { signal: either })
    return await store.change(() => {
      if (domainById(store.db, domain.id)?.document_root !== domain.document_root) return undefined
      postpone(store.db, domain, clock.now() + day)
      return recordScan(runtime, domain, scanned)
    })
  } finally {
    cancel()
  }
}

/** Scans document roots after they changed, and once a day. */
export const scanDaily = (runtime: Runtime, { host }: Pick<Outside, 'host'>): Engine => ({
  stop: every(runtime, minute, 'the scan for WordPress sites failed', async (signal) => {
    for (const domain of due(runtime.store.db, runtime.clock.now())) {
      if (signal.aborted) return
      await scanOrPostpone(runtime, host, domain, signal)
    }
  }),
})

async function scanOrPostpone(runtime: Runtime, host: HostClient, domain: DomainRow, signal: AbortSignal) {
  const { store, clock, log } = runtime
  try {
    await scanDomain(runtime, host, domain, signal)
  } catch (error) {
    if (signal.aborted) return
    log.debug({ err: error, domain: domain.name }, 'a document root could not be scanned for WordPress sites')
    await store.change(() => postpone(store.db, domain, clock.now() + hour))
  }
}

const due = (db: Db, now: number): DomainRow[] =>
  db
    .select({ domain: domains })
    .from(wordpressScans)
    .innerJoin(domains, eq(domains.id, wordpressScans.domain_id))
    .innerJoin(accounts, eq(accounts.id, domains.account_id))
    .where(and(lte(wordpressScans.next_at, now), eq(domains.status, 'active'), isNull(accounts.suspended_at)))
    .orderBy(asc(wordpressScans.next_at), asc(wordpressScans.domain_id))
    .limit(MAX_SCANS_PER_MINUTE)
    .all()
    .map(({ domain }) => domain)

/** Has a domain's document root scanned again. */
export const scanSoon = (db: Db, domain: string): void =>
  void db.update(wordpressScans).set({ next_at: 0 }).where(eq(wordpressScans.domain_id, domain)).run()

/** Has all document roots of an account scanned again. */
export const scanAllSoon = (db: Db, account: string): void =>
  void db
    .update(wordpressScans)
    .set({ next_at: 0 })
    .where(
      inArray(
        wordpressScans.domain_id,
        db.select({ id: domains.id }).from(domains).where(eq(domains.account_id, account)),
      ),
    )
    .run()

const postpone = (db: Db, { id }: DomainRow, next_at: number): void =>
  void db.update(wordpressScans).set({ next_at }).where(eq(wordpressScans.domain_id, id)).run()
