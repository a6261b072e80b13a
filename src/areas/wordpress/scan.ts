import type { HostClient } from '../../host/contract/client.ts'
import type { Outside } from '../../runtime/areas/area.ts'
import type { Engine } from '../../runtime/areas/engine.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import type { Db } from '../../store/open.ts'
import { hostNameOf } from '../accounts/objects/state.ts'
import { accountById } from '../accounts/store.ts'
import { checkSites, checkSoon, checkTomorrow, withinCheckTime } from '../domains/site-checks.ts'
import { domainById, servedDomains } from '../domains/store.ts'
import type { DomainRow } from '../domains/tables.ts'
import { recordScan, type ScanCounts } from './record.ts'
import { wordpressScans } from './tables.ts'

/** Scans a domain's document root, and stores what it found; undefined if the root has changed meanwhile. */
export async function scanDomain(
  runtime: Runtime,
  host: HostClient,
  domain: DomainRow,
  signal: AbortSignal,
): Promise<ScanCounts | undefined> {
  const { db, change } = runtime.store
  const account = accountById(db, domain.account_id)
  if (!account) return undefined
  const root = Buffer.from(domain.document_root!).toString('base64')
  const files = host.files(hostNameOf(account))
  const scanned = await withinCheckTime(runtime, signal, (signal) => files.act('wordpress', { root }, { signal }))
  return change(() => {
    if (domainById(db, domain.id)?.document_root !== domain.document_root) return undefined
    checkTomorrow(runtime, wordpressScans, domain.id)
    return recordScan(runtime, domain, scanned)
  })
}

/** Scans document roots after they changed, and once a day. */
export const scanDaily = (runtime: Runtime, { host }: Pick<Outside, 'host'>): Engine =>
  checkSites(runtime, {
    schedule: wordpressScans,
    failures: {
      all: 'the scan for WordPress sites failed',
      one: 'a document root could not be scanned for WordPress sites',
    },
    run: async (domain, signal) => void (await scanDomain(runtime, host, domain, signal)),
  })

/** Has a domain's document root scanned again. */
export const scanSoon = (db: Db, domain: string): void => checkSoon(db, wordpressScans, domain)

/** Has all document roots of an account scanned again. */
export function scanAllSoon(db: Db, account: string): void {
  for (const { id } of servedDomains(db, account)) scanSoon(db, id)
}
