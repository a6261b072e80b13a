import type { Answered } from '../../host/contract/driver.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { day } from '../../shared/time.ts'
import type { Db } from '../../store/open.ts'
import { servedDomains } from '../domains/store.ts'
import type { DomainRow } from '../domains/tables.ts'
import { wafContentChanged } from '../domains/waf/rules.ts'
import { addSite, firstMissing, removeSite, setSite, sitesOf, sitesOfDomain } from './store.ts'
import type { WordpressRow } from './tables.ts'

type Scanned = Answered<'wordpress'>
type ScannedSite = Scanned['items'][number]

/** A site whose files are gone is forgotten after that time. */
const MISSING_DAYS = 30

/** Of an account. */
export const MAX_SITES = 1_000

/** What a job is about does not change under it. */
const busy: ReadonlySet<WordpressRow['status']> = new Set(['installing', 'working', 'deleting'])

export interface ScanCounts {
  readonly sites: number
  readonly unhealthy: number
  readonly missing: number
}

/** Stores what a scan of a domain's document root found; inside a change. */
export function recordScan(runtime: Runtime, domain: DomainRow, { items, more }: Scanned): ScanCounts {
  const { db } = runtime.store
  const stored = new Map(sitesOfDomain(db, domain.id).map((row) => [row.path, row]))
  const found = items.filter((item) => !belongsToAnother(db, domain, item.core))
  const paths = new Set(found.map(({ path }) => path))
  const absent = [...stored.values()].filter(({ path }) => !paths.has(path))
  // What was not read may be there.
  if (!more) for (const row of absent) recordMissing(runtime, row)
  for (const item of found) recordSite(runtime, domain, stored.get(item.path), item)
  return {
    sites: found.length,
    unhealthy: found.filter(({ problem }) => problem !== undefined).length,
    missing: more ? 0 : absent.length,
  }
}

/** A site in the document root of another domain, which is below this one's, is that domain's. */
export function belongsToAnother(db: Db, domain: DomainRow, core: string): boolean {
  const place = `${domain.document_root}${core === '/' ? '' : core}/`
  return servedDomains(db, domain.account_id).some(
    ({ id, document_root }) =>
      id !== domain.id &&
      document_root !== null &&
      document_root.length > domain.document_root!.length &&
      place.startsWith(`${document_root}/`),
  )
}

function recordSite(runtime: Runtime, domain: DomainRow, row: WordpressRow | undefined, site: ScannedSite): void {
  const now = runtime.clock.now()
  const values = {
    core_path: site.core,
    version: site.version ?? null,
    database: site.database ?? null,
    prefix: site.prefix ?? null,
    multisite: site.multisite,
    environment: site.staging ? ('staging' as const) : ('production' as const),
    checked_at: now,
  }
  const health = { status: site.problem ? ('unhealthy' as const) : ('active' as const), problem: site.problem ?? null }
  if (row)
    return setSite(runtime, row.id, { ...values, ...(!busy.has(row.status) && { ...health, missing_since: null }) })
  if (!hasRoom(runtime, domain.account_id)) return
  addSite(runtime, { ...newSite(runtime, domain, site.path), ...values, ...health })
  wafContentChanged(runtime, domain)
}

/** A missing site makes room for one that is there. */
function hasRoom(runtime: Runtime, account: string): boolean {
  const { db } = runtime.store
  if (sitesOf.count(db, account) < MAX_SITES) return true
  const missing = firstMissing(db, account)
  if (missing) removeSite(runtime.store, missing.id)
  return missing !== undefined
}

export function newSite(runtime: Runtime, domain: DomainRow, path: string) {
  return {
    id: runtime.id(),
    account_id: domain.account_id,
    domain_id: domain.id,
    path,
    missing_since: null,
    core_update: null,
    plugin_updates: 0,
    theme_updates: 0,
    auto_update: 'off' as const,
    window_day: null,
    window_hour: null,
    created_at: runtime.clock.now(),
  }
}

function recordMissing(runtime: Runtime, row: WordpressRow): void {
  const now = runtime.clock.now()
  if (busy.has(row.status)) return
  if (row.missing_since !== null && row.missing_since <= now - MISSING_DAYS * day) {
    removeSite(runtime.store, row.id)
    return
  }
  setSite(runtime, row.id, {
    status: 'missing',
    problem: null,
    missing_since: row.missing_since ?? now,
    checked_at: now,
  })
}
