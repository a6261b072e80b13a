import { eq, sql } from 'drizzle-orm'
import type { Runtime } from '../../../runtime/runtime.ts'
import { day } from '../../../shared/time.ts'
import type { Db } from '../../../store/open.ts'
import { isListed } from '../../accounts/reserved.ts'
import { type DomainRow, domains } from '../tables.ts'
import { enqueueApply, ownChanges, unverify } from './change.ts'
import { NOTICE_DELAY_MS } from './schedule.ts'
import { setVerification } from './store.ts'
import { verifications } from './tables.ts'

/** Completes what the migration began: names that were here before are looked at within a day, evenly. */
export async function startUpgrade(runtime: Runtime): Promise<void> {
  const { store } = runtime
  const all = upgradedDomains(store.db)
  if (all.length === 0) return
  const reserved = all.filter(({ name }) => isListed(store.db, name))
  await store.change(() => {
    planLooks(store.db, runtime.clock.now(), all.length)
    for (const domain of reserved) withdraw(runtime, domain)
  })
}

const upgradedDomains = (db: Db): DomainRow[] =>
  db
    .select({ domain: domains })
    .from(verifications)
    .innerJoin(domains, eq(domains.id, verifications.domain_id))
    .where(sql`${verifications.verified_by} = 'upgrade' AND ${verifications.verified_at} = 0`)
    .all()
    .map(({ domain }) => domain)

/** One statement, as a server may have tens of thousands. */
const planLooks = (db: Db, now: number, count: number): void =>
  void db.run(sql`
    UPDATE domain_verifications
    SET verified_at = ${now}, started_at = ${now}, next_check_at = ${now} + CAST(ranked.position * ${day} / ${count} AS INTEGER)
    FROM (
      SELECT domain_id AS id, row_number() OVER (ORDER BY domain_id) - 1 AS position
      FROM domain_verifications WHERE verified_by = 'upgrade' AND verified_at = 0
    ) AS ranked
    WHERE domain_id = ranked.id`)

/** A provider's name steers no mail even for a day. */
function withdraw(runtime: Runtime, domain: DomainRow): void {
  const changes = ownChanges(runtime)
  unverify(changes, domain, `${domain.name} is reserved, and has not been looked at yet.`)
  setVerification(changes, domain.id, { notice_at: changes.now + NOTICE_DELAY_MS })
  enqueueApply(runtime, domain)
}
