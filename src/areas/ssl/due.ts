import { setImmediate as turn } from 'node:timers/promises'
import { and, asc, eq, gt, inArray, isNull, lte, notInArray, or, type SQL, sql } from 'drizzle-orm'
import { unfinished } from '../../runtime/jobs/queue.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { jobs } from '../../runtime/tables.ts'
import { day } from '../../shared/time.ts'
import type { Db } from '../../store/open.ts'
import { accounts } from '../accounts/tables.ts'
import { type DomainRow, domains } from '../domains/tables.ts'
import { featureLists } from '../feature-lists/tables.ts'
import { packages } from '../packages/tables.ts'
import { autossl } from './acme/tables.ts'
import { BATCH_SIZE, batchAfter, type DomainBatch } from './domain-batch.ts'
import { isAutosslDefault } from './settings.ts'
import { certificates } from './tables.ts'

/** Domains with an unfinished order. */
export const domainsOrdered = (db: Db): string[] =>
  db
    .select({ id: jobs.object_id })
    .from(jobs)
    .where(and(eq(jobs.kind, 'ssl.issue'), inArray(jobs.status, [...unfinished])))
    .all()
    .map(({ id }) => id!)

/** Self-signed, or with at most a third of its lifetime left. The plus keeps SQLite from reading all of a kind. */
const isDue = (now: number) => {
  const { kind, not_after, not_before } = certificates
  return sql`(+${kind} = 'self_signed' OR +${kind} IN ('acme', 'imported') AND (${not_after} - ${now}) * 3 <= ${not_after} - ${not_before})`
}

const hasFeature = sql`coalesce(json_extract(${featureLists.features}, '$.auto_ssl'), 1) = 1`
/** Wildcards can only be proven in their zone. */
const isProvable = sql`(${domains.name} NOT LIKE '*.%' OR EXISTS (SELECT 1 FROM dns_zones WHERE domain_id = ${domains.parent_id}))`

/** Domains whose certificate AutoSSL should order now, besides those ordered already; stretch by stretch. */
export async function domainsDue(runtime: Runtime, ordered: readonly string[], max: number): Promise<DomainRow[]> {
  const due: DomainRow[] = []
  for (let after = ''; due.length < max; await turn()) {
    const batch = batchAfter(runtime.store.db, after)
    if (batch) due.push(...dueIn(runtime, batch, ordered, isDue(runtime.clock.now()), max - due.length))
    if (!batch || batch.ends) break
    after = batch.last
  }
  return due
}

/** How long a certificate without some of them stays before they are tried again. */
const MIN_AGE_MS = 7 * day

/** A policy for senders that the certificate does not show. */
const lacksPolicy = sql`EXISTS (SELECT 1 FROM email_mta_sts WHERE domain_id = ${domains.id} AND ${certificates.created_at} < created_at
  AND NOT EXISTS (SELECT 1 FROM json_each(${certificates.domains}) WHERE value = 'mta-sts.' || ${domains.name}))`

/** Those that every domain with mail has. */
const PROGRAM_NAMES = 3

const mailNames = sql`(SELECT count(*) FROM json_each(${certificates.domains})
  WHERE value IN ('mail.' || ${domains.name}, 'autoconfig.' || ${domains.name}, 'autodiscover.' || ${domains.name}))`

/** Domains of a stretch whose issued certificate lacks names for mail, and was made long ago or before the domain was verified. */
export const domainsLackingMail = (runtime: Runtime, batch: DomainBatch, ordered: readonly string[]): DomainRow[] =>
  dueIn(
    runtime,
    batch,
    ordered,
    sql`+${certificates.kind} = 'acme' AND (${lacksPolicy} OR ${mailNames} < ${PROGRAM_NAMES}
      AND (${certificates.created_at} <= ${runtime.clock.now() - MIN_AGE_MS} OR ${certificates.created_at} <
        (SELECT verified_at FROM domain_verifications WHERE domain_id = ${domains.id})))`,
    BATCH_SIZE,
  )

function dueIn(
  { store, clock }: Runtime,
  { after, last }: DomainBatch,
  ordered: readonly string[],
  when: SQL,
  max: number,
): DomainRow[] {
  const now = clock.now()
  return store.db
    .select({ domain: domains })
    .from(domains)
    .innerJoin(certificates, and(eq(certificates.domain_id, domains.id), eq(certificates.used, true)))
    .innerJoin(accounts, eq(accounts.id, domains.account_id))
    .innerJoin(packages, eq(packages.id, accounts.package_id))
    .innerJoin(featureLists, eq(featureLists.id, packages.feature_list_id))
    .leftJoin(autossl, eq(autossl.domain_id, domains.id))
    .where(
      and(
        gt(domains.id, after),
        lte(domains.id, last),
        when,
        eq(domains.status, 'active'),
        eq(accounts.provisioned, true),
        isNull(accounts.importing_since),
        eq(accounts.terminating, false),
        sql`coalesce(${autossl.enabled}, ${Number(isAutosslDefault(store.db))}) = 1`,
        or(isNull(autossl.next_attempt_at), lte(autossl.next_attempt_at, now)),
        hasFeature,
        isProvable,
        notInArray(domains.id, [...ordered]),
      ),
    )
    .orderBy(asc(domains.id))
    .limit(max)
    .all()
    .map(({ domain }) => domain)
}
