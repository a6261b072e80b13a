import { and, asc, eq, exists, isNotNull, isNull, lte, notExists, sql } from 'drizzle-orm'
import type { HostArea } from '../../../host/contract/driver.ts'
import type { Engine } from '../../../runtime/areas/engine.ts'
import { every } from '../../../runtime/clock/interval.ts'
import { recordEvent } from '../../../runtime/events/emit.ts'
import { enqueue } from '../../../runtime/jobs/queue.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import type { RsaKey } from '../../../runtime/security/rsa-keys.ts'
import { systemActor } from '../../../runtime/settings/system.ts'
import { day, minute } from '../../../shared/time.ts'
import type { Db } from '../../../store/open.ts'
import { prepared } from '../../../store/prepared.ts'
import { accountById, type FullAccount, nameOf } from '../../accounts/store.ts'
import { accounts } from '../../accounts/tables.ts'
import { domainById } from '../../domains/store.ts'
import { type DomainRow, domains } from '../../domains/tables.ts'
import { emailDomainById } from '../domains/store.ts'
import { emailDomains, emailKeys } from '../tables.ts'
import { keepKey } from './keys.ts'
import { type DkimContext, publish, withdraw } from './records.ts'
import { currentKey, removeKey } from './store.ts'

/** How long signatures by a former key stay verifiable. */
export const KEY_RETENTION_MS = 7 * day
/** Domains per minute. */
const pace = 20

/** The context for the server's own changes. */
export function changesOf(runtime: Runtime): DkimContext {
  const { store, clock } = runtime
  const requestId = runtime.id()
  const actor = systemActor(store.db)
  return {
    runtime,
    store,
    db: store.db,
    now: clock.now(),
    id: () => runtime.id(),
    emit: (event) => recordEvent(runtime, event, actor, actor.via, requestId).id,
  }
}

function carry(runtime: Runtime, account: FullAccount, domain: DomainRow): void {
  const areas: HostArea[] = ['mail', 'dns']
  const job = { kind: 'email.dkim.update', account: nameOf(account), object_id: domain.id, areas }
  enqueue(runtime, job, systemActor(runtime.store.db), runtime.id())
}

const unsigned = ({ store: { db } }: Runtime) =>
  db
    .select({ id: domains.id })
    .from(emailDomains)
    .innerJoin(domains, eq(domains.id, emailDomains.domain_id))
    .innerJoin(accounts, eq(accounts.id, emailDomains.account_id))
    .where(
      and(
        eq(emailDomains.dkim, true),
        eq(domains.status, 'active'),
        eq(accounts.terminating, false),
        notExists(
          db
            .select({ id: emailKeys.id })
            .from(emailKeys)
            .where(and(eq(emailKeys.domain_id, emailDomains.domain_id), isNull(emailKeys.retired_at))),
        ),
      ),
    )
    .orderBy(asc(domains.id))
    .limit(pace)
    .all()

/** Assigns a key to a domain that was created without one. */
function sign(runtime: Runtime, id: string, key: RsaKey): void {
  const domain = domainById(runtime.store.db, id)
  const account = domain && accountById(runtime.store.db, domain.account_id)
  if (!account || !emailDomainById(runtime.store.db, id)?.dkim || currentKey(runtime.store.db, id)) return
  const changes = changesOf(runtime)
  publish(changes, nameOf(account), domain, [keepKey(changes, domain, key)], { isReported: true })
  carry(runtime, account, domain)
}

async function nextKey({ rsaKeys }: Runtime, signal: AbortSignal): Promise<RsaKey | undefined> {
  const ready = await rsaKeys.take()
  if (ready) return ready
  await rsaKeys.fill(signal)
  return rsaKeys.take()
}

async function signAll(runtime: Runtime, signal: AbortSignal): Promise<void> {
  for (const { id } of unsigned(runtime)) {
    const key = await nextKey(runtime, signal)
    if (!key || signal.aborted) return
    await runtime.store.change(() => sign(runtime, id, key))
  }
}

const former = ({ store: { db }, clock }: Runtime) =>
  db
    .select()
    .from(emailKeys)
    .where(and(isNotNull(emailKeys.retired_at), lte(emailKeys.retired_at, clock.now() - KEY_RETENTION_MS)))
    .orderBy(asc(emailKeys.id))
    .limit(pace)
    .all()

function forget(runtime: Runtime): void {
  for (const key of former(runtime)) {
    const domain = domainById(runtime.store.db, key.domain_id)!
    const account = accountById(runtime.store.db, key.account_id)!
    const changes = changesOf(runtime)
    withdraw(changes, nameOf(account), domain, [key])
    removeKey(changes, key.id)
    carry(runtime, account, domain)
  }
}

/**
 * Makes keys ahead from the start, assigns them to domains that were created while none was ready, and deletes former
 * keys.
 */
export function beginSigning(runtime: Runtime): Engine {
  const stopping = new AbortController()
  const filling = runtime.rsaKeys.fill(stopping.signal).catch(() => {})
  const stop = every(runtime, minute, 'the check of DKIM keys failed', async (signal) => {
    if (former(runtime).length > 0) await runtime.store.change(() => forget(runtime))
    await signAll(runtime, signal)
    await runtime.rsaKeys.fill(signal)
  })
  return {
    stop: async () => {
      stopping.abort()
      await Promise.all([filling, stop()])
    },
  }
}

/** Assigns ready keys to domains being created: a key belongs to its domain and has no event. */
export async function prepareKeys(runtime: Runtime, { id }: FullAccount, areas?: readonly HostArea[]): Promise<void> {
  if (areas && !areas.includes('mail')) return
  for (const domain of queries(runtime.store.db).beingMade.all({ account: id })) {
    const key = await runtime.rsaKeys.take()
    if (!key) return
    await runtime.store.change(() => begin(runtime, domain.id, key))
  }
}

const queries = prepared((db: Db) => ({
  beingMade: db
    .select({ id: domains.id })
    .from(domains)
    .where(
      and(
        eq(domains.account_id, sql.placeholder('account')),
        eq(domains.status, 'provisioning'),
        exists(
          db
            .select({ id: emailDomains.domain_id })
            .from(emailDomains)
            .where(and(eq(emailDomains.domain_id, domains.id), eq(emailDomains.dkim, true))),
        ),
        notExists(db.select({ id: emailKeys.id }).from(emailKeys).where(eq(emailKeys.domain_id, domains.id))),
      ),
    )
    .orderBy(asc(domains.id))
    .prepare(),
}))

function begin(runtime: Runtime, id: string, key: RsaKey): void {
  const domain = domainById(runtime.store.db, id)
  const account = domain && accountById(runtime.store.db, domain.account_id)
  if (!account || domain.status !== 'provisioning' || currentKey(runtime.store.db, id)) return
  const changes = changesOf(runtime)
  publish(changes, nameOf(account), domain, [keepKey(changes, domain, key)], { isReported: false })
}
