import { and, eq, isNull } from 'drizzle-orm'
import type { Outside } from '../../../runtime/areas/area.ts'
import type { Engine } from '../../../runtime/areas/engine.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { Db } from '../../../store/open.ts'
import { hostNameOf } from '../../accounts/objects/state.ts'
import { accountById } from '../../accounts/store.ts'
import { checkSites, checkTomorrow, withinCheckTime } from '../site-checks.ts'
import { type DomainRow, domains, htaccessChecks } from '../tables.ts'
import { scanOf } from './scan.ts'

/** Looks in sites for access rules that take no effect: after a change of root or handler, and once a day. */
export const watchHtaccess = (runtime: Runtime, outside: Outside): Engine =>
  checkSites(runtime, {
    schedule: htaccessChecks,
    failures: { all: 'the check of .htaccess files failed', one: '.htaccess files could not be read' },
    async run(domain, signal) {
      const ignored = await ignoresAccess(runtime, outside, domain, signal)
      await runtime.store.change(() => record(runtime, domain, ignored))
    },
  })

/** Whether a rule that keeps visitors out takes no effect; apps have rules of their own. */
async function ignoresAccess(
  runtime: Runtime,
  { host }: Outside,
  domain: DomainRow,
  signal: AbortSignal,
): Promise<boolean> {
  const account = accountById(runtime.store.db, domain.account_id)
  if (!account || domain.handler === 'app') return false
  const files = host.files(hostNameOf(account))
  const { items } = await withinCheckTime(runtime, signal, (signal) =>
    files.act('htaccess', scanOf(domain), { signal }),
  )
  return items.some(({ kind, obeyed }) => kind === 'access' && !obeyed)
}

/** A change of the site meanwhile is looked at again. */
const unchanged = ({ id, document_root, handler }: DomainRow, db: Db): boolean => {
  const now = db.select().from(domains).where(eq(domains.id, id)).get()
  return now?.document_root === document_root && now.handler === handler
}

function record(runtime: Runtime, domain: DomainRow, ignored: boolean): void {
  const { db } = runtime.store
  if (!unchanged(domain, db)) return
  const { id } = domain
  if (!ignored) db.update(htaccessChecks).set({ ignored_since: null }).where(eq(htaccessChecks.domain_id, id)).run()
  else
    db.update(htaccessChecks)
      .set({ ignored_since: runtime.clock.now() })
      .where(and(eq(htaccessChecks.domain_id, id), isNull(htaccessChecks.ignored_since)))
      .run()
  checkTomorrow(runtime, htaccessChecks, id)
}
