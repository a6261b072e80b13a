import { and, eq, gt, isNull, lte, ne, or } from 'drizzle-orm'
import { recordEvent } from '../../runtime/events/emit.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { systemActor } from '../../runtime/settings/system.ts'
import { day } from '../../shared/time.ts'
import { type NoticeData, type Notices, noticeRowsOf } from '../accounts/objects/notice.ts'
import { accountById, nameOf } from '../accounts/store.ts'
import { accounts } from '../accounts/tables.ts'
import { domains } from '../domains/tables.ts'
import { certificates } from './tables.ts'

/** Days before its end at which a custom certificate is reported: only its owner can renew it. */
const stages = [30, 14, 7, 2, 0] as const
const first = stages[0] * day

const { not_after, notified_days } = certificates

const isOwn = and(eq(certificates.kind, 'custom'), eq(certificates.used, true))

const stageOf = (ends: number, now: number): number => stages.findLast((days) => now >= ends - days * day)!

const expiring = {
  kind: 'certificate-expiring',
  id: certificates.domain_id,
  account: certificates.account_id,
  since: certificates.expiring_since,
} as const

const rows = noticeRowsOf(
  expiring,
  (db) =>
    db
      .select({ domain: domains, ends: not_after, since: certificates.expiring_since, username: accounts.username })
      .from(certificates)
      .innerJoin(domains, eq(domains.id, certificates.domain_id))
      .innerJoin(accounts, eq(accounts.id, certificates.account_id))
      .$dynamic(),
  and(eq(certificates.used, true), ne(domains.status, 'deleting')),
)

const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

const endOf = (ends: number, at: number): string => {
  const days = Math.floor((ends - at) / day)
  if (ends <= at) return `expired on ${dateOf(ends)}`
  return `ends on ${dateOf(ends)}, ${days === 1 ? 'in 1 day' : days === 0 ? 'within a day' : `in ${days} days`}`
}

const commands = (name: string, username: string): string =>
  `Install a new one: panel ssl install -a ${username} --domain ${name} --certificate FILE --key FILE; or have one issued: panel ssl issue ${name} -a ${username}`

/** Own certificates near their end, which AutoSSL leaves alone. */
export const endingCertificates: Notices = (ctx, scope) =>
  rows(ctx.db, scope).map(
    ({ domain, ends, since: began, username }): NoticeData => ({
      kind: 'certificate-expiring',
      severity: ends <= ctx.now ? 'error' : 'warn',
      object: 'domain',
      object_id: domain.id,
      name: domain.name,
      detail: `Its own certificate ${endOf(ends, ctx.now)}. ${commands(domain.name, username)}`,
      since: began!,
      operation: 'installCertificate',
      account_id: domain.account_id,
    }),
  )

/** Emits an event for each own certificate that has come to another stage before its end; inside a change. */
export function reportExpiring(runtime: Runtime): void {
  const { db } = runtime.store
  const actor = systemActor(db)
  for (const { id, account_id, domains: names, not_after: ends } of dueIn(runtime)) {
    const days = stageOf(ends, runtime.clock.now())
    db.update(certificates)
      .set({ notified_days: days, expiring_since: runtime.clock.now() })
      .where(eq(certificates.id, id))
      .run()
    const account = nameOf(accountById(db, account_id)!)
    const details = { domains: names, not_after: ends, days }
    recordEvent(runtime, { type: 'ssl.expiring', account, object_id: id, details }, actor, actor.via, runtime.id())
  }
}

/** Events of one minute: after a long stop there may be many. */
const MAX_EVENTS = 100

function dueIn({ store, clock }: Runtime) {
  const at = clock.now()
  const began = stages.map((days) =>
    and(lte(not_after, at + days * day), or(isNull(notified_days), gt(notified_days, days))),
  )
  return store.db
    .select()
    .from(certificates)
    .where(and(isOwn, lte(not_after, at + first), or(...began)))
    .orderBy(not_after)
    .limit(MAX_EVENTS)
    .all()
}

/** Whether there is one to report. */
export const isOneExpiring = (runtime: Runtime): boolean => dueIn(runtime).length > 0
