import { eq } from 'drizzle-orm'
import type { Runtime } from '../../../runtime/runtime.ts'
import { day } from '../../../shared/time.ts'
import { isListed } from '../../accounts/reserved.ts'
import { domains } from '../tables.ts'
import { NOTICE_DELAY_MS, nextLook } from './schedule.ts'
import { setVerification } from './store.ts'
import { verifications } from './tables.ts'

/** Completes what the migration began: names that were here before are looked at within a day, evenly. */
export async function startUpgrade({ store, clock }: Runtime): Promise<void> {
  const { db } = store
  const all = db
    .select({ id: verifications.domain_id, name: domains.name })
    .from(verifications)
    .innerJoin(domains, eq(domains.id, verifications.domain_id))
    .where(eq(verifications.verified_at, 0))
    .all()
  if (all.length === 0) return
  const now = clock.now()
  await store.change(() => {
    for (const [index, { id, name }] of all.entries())
      setVerification({ store }, id, isListed(db, name) ? unverified(now) : upgraded(now, index, all.length))
  })
}

const upgraded = (now: number, index: number, count: number) => ({
  verified_at: now,
  started_at: now,
  next_check_at: now + Math.floor((index * day) / count),
})

const unverified = (now: number) => ({
  verified_by: null,
  verified_at: null,
  started_at: now,
  next_check_at: nextLook(now, now),
  notice_at: now + NOTICE_DELAY_MS,
})
