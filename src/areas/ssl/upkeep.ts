import { and, asc, eq, gt, isNull, lte, ne, or, sql } from 'drizzle-orm'
import type { Engine } from '../../runtime/areas/engine.ts'
import { every } from '../../runtime/clock/interval.ts'
import { enqueue, unfinishedJob } from '../../runtime/jobs/queue.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { systemActor } from '../../runtime/settings/system.ts'
import { minute } from '../../shared/time.ts'
import { accountById, nameOf } from '../accounts/store.ts'
import { accounts } from '../accounts/tables.ts'
import { domains } from '../domains/tables.ts'
import { batchAfter, type DomainBatch } from './domain-batch.ts'
import { renewal } from './ensure.ts'
import { isOneExpiring, reportExpiring } from './expiry.ts'
import { certificates } from './tables.ts'

/** Accounts per minute: each needs a job that makes keys and applies to the host. */
const pace = 20

/** Makes missing certificates and renews expiring self-signed ones; a stretch per minute. */
export function beginUpkeep(runtime: Runtime): Engine {
  let after = ''
  const stop = every(runtime, minute, 'the check of certificates failed', async () => {
    const batch = batchAfter(runtime.store.db, after)
    const needy = batch ? accountsInNeed(runtime, batch) : []
    if (isOneExpiring(runtime)) await runtime.store.change(() => reportExpiring(runtime))
    if (needy.length > 0)
      await runtime.store.change(() => {
        for (const id of needy) queueFor(runtime, id)
      })
    // If more need work than fit into one pass, repeat the stretch.
    if (needy.length < pace) after = !batch || batch.ends ? '' : batch.last
  })
  return { stop }
}

const accountsInNeed = ({ store, clock }: Runtime, { after, last }: DomainBatch): string[] =>
  store.db
    .selectDistinct({ id: domains.account_id })
    .from(domains)
    .innerJoin(accounts, eq(accounts.id, domains.account_id))
    .leftJoin(certificates, and(eq(certificates.domain_id, domains.id), eq(certificates.used, true)))
    .where(
      and(
        gt(domains.id, after),
        lte(domains.id, last),
        ne(domains.status, 'deleting'),
        eq(accounts.terminating, false),
        eq(accounts.provisioned, true),
        or(
          isNull(certificates.id),
          and(eq(certificates.kind, 'self_signed'), lte(certificates.not_after, clock.now() + renewal)),
        ),
        sql`NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.lane = ${domains.account_id} AND jobs.status IN ('queued', 'leased', 'running'))`,
      ),
    )
    .orderBy(asc(domains.account_id))
    .limit(pace)
    .all()
    .map(({ id }) => id)

function queueFor(runtime: Runtime, id: string): void {
  const account = accountById(runtime.store.db, id)
  if (!account || unfinishedJob(runtime, id, 'account.update')) return
  const job = { kind: 'account.update', account: nameOf(account), areas: ['tls', 'web'] }
  enqueue(runtime, job, systemActor(runtime.store.db), runtime.id())
}
