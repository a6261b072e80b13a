import { and, asc, count, eq, inArray, isNull, lte, or, sql } from 'drizzle-orm'
import type { Engine } from '../../runtime/engine.ts'
import { enqueue, unfinished } from '../../runtime/queue.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { systemActor } from '../../runtime/system.ts'
import { jobs } from '../../runtime/tables.ts'
import { every } from '../../runtime/tick.ts'
import { minute } from '../../shared/time.ts'
import type { Db } from '../../store/open.ts'
import { accountById, nameOf } from '../accounts/store.ts'
import { accounts } from '../accounts/tables.ts'
import { namesOf } from '../domains/names.ts'
import { type DomainRow, domains } from '../domains/tables.ts'
import { featureLists } from '../feature-lists/tables.ts'
import { packages } from '../packages/tables.ts'
import { autossl } from './acme/tables.ts'
import { autosslOf } from './autossl.ts'
import { issueJob, type Wish } from './issue.ts'
import { wantedNames } from './names.ts'
import { directoryOf, isAutosslDefault } from './settings.ts'
import { usedBy } from './store.ts'
import { certificates } from './tables.ts'

/** An order may take minutes: other jobs need room beside them. */
const maxAtOnce = 4

/** AutoSSL: has certificates issued in place of self-signed ones, and renews those that were issued. */
export function beginAutossl(runtime: Runtime): Engine {
  const stop = every(runtime, minute, 'certificates could not be ordered', async () => {
    const { db, change } = runtime.store
    if (directoryOf(db) === undefined) return
    const due = domainsDue(runtime, maxAtOnce - underWay(db))
    if (due.length > 0) await change(() => due.forEach((domain) => void start(runtime, domain)))
  })
  return { stop }
}

const underWay = (db: Db): number =>
  db
    .select({ total: count() })
    .from(jobs)
    .where(and(eq(jobs.kind, 'ssl.issue'), inArray(jobs.status, [...unfinished])))
    .get()!.total

/** Self-signed, or issued and with no more than a third of its lifetime left. */
const isDue = (now: number) =>
  or(
    eq(certificates.kind, 'self_signed'),
    and(
      eq(certificates.kind, 'acme'),
      sql`(${certificates.not_after} - ${now}) * 3 <= ${certificates.not_after} - ${certificates.not_before}`,
    ),
  )

const isOrdered = sql`EXISTS (SELECT 1 FROM jobs WHERE jobs.account_id = ${domains.account_id} AND jobs.kind = 'ssl.issue'
  AND jobs.object_id = ${domains.id} AND jobs.status IN ('queued', 'leased', 'running'))`
const hasFeature = sql`coalesce(json_extract(${featureLists.features}, '$.auto_ssl'), 1) = 1`
/** A wildcard is proven in its zone alone. */
const isProvable = sql`(${domains.name} NOT LIKE '*.%' OR EXISTS (SELECT 1 FROM dns_zones WHERE domain_id = ${domains.parent_id}))`

function domainsDue({ store, clock }: Runtime, max: number): DomainRow[] {
  if (max <= 0) return []
  const now = clock.now()
  return store.db
    .select({ domain: domains })
    .from(certificates)
    .innerJoin(domains, eq(domains.id, certificates.domain_id))
    .innerJoin(accounts, eq(accounts.id, domains.account_id))
    .innerJoin(packages, eq(packages.id, accounts.package_id))
    .innerJoin(featureLists, eq(featureLists.id, packages.feature_list_id))
    .leftJoin(autossl, eq(autossl.domain_id, domains.id))
    .where(
      and(
        eq(certificates.used, true),
        isDue(now),
        eq(domains.status, 'active'),
        eq(accounts.provisioned, true),
        eq(accounts.terminating, false),
        sql`coalesce(${autossl.enabled}, ${Number(isAutosslDefault(store.db))}) = 1`,
        or(isNull(autossl.next_attempt_at), lte(autossl.next_attempt_at, now)),
        hasFeature,
        isProvable,
        sql`NOT ${isOrdered}`,
      ),
    )
    .orderBy(sql`coalesce(${autossl.next_attempt_at}, 0)`, asc(domains.id))
    .limit(max)
    .all()
    .map(({ domain }) => domain)
}

function start(runtime: Runtime, domain: DomainRow): void {
  const { db } = runtime.store
  const account = accountById(db, domain.account_id)
  if (account) enqueue(runtime, issueJob(nameOf(account), domain, wishOf(db, domain)), systemActor(db), runtime.id())
}

function wishOf(db: Db, domain: DomainRow): Wish {
  const { challenge } = autosslOf(db, domain)
  const names = chosenNames(db, domain)
  const needsZone = names?.some((name) => name.startsWith('*.'))
  return { names, challenge: needsZone ? 'dns-01' : challenge, key_type: 'ec-p256' }
}

/** Names that somebody chose for the certificate stay its names while the account has them. */
function chosenNames(db: Db, domain: DomainRow): readonly string[] | undefined {
  const used = usedBy(db, domain)
  if (used?.kind !== 'acme' || used.domains.every((name) => namesOf(domain).includes(name))) return undefined
  try {
    return wantedNames({ db }, domain, used.domains)
  } catch {
    return undefined
  }
}
