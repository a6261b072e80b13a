import { and, asc, count, eq, gt, isNotNull, lte, min, type SQL } from 'drizzle-orm'
import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { day } from '../../shared/time.ts'
import type { Mail } from './compose.ts'
import { HourlyShares, type Share } from './shares.ts'
import { type MailRow, mailMessages } from './tables.ts'

declare module '../../runtime/runtime.ts' {
  interface Signals {
    /** A message waits to be sent. */
    mail: []
    /** The mail server has taken a message. */
    mailed: [messageId: string]
  }
}

export const purpose = 'mail message'

/** Messages of one share to one address in a day; the rest waits. */
const MAX_PER_ADDRESS_AND_DAY = 20
/** More could not be sent within the two days that messages live. */
const MAX_WAITING_PER_ADDRESS = 2 * MAX_PER_ADDRESS_AND_DAY

type Sender = Pick<Context, 'db' | 'runtime' | 'store' | 'now'>

interface Delivery {
  /** It is given up afterwards. */
  readonly lifetimeMs: number
  readonly share: Share
}

/** Queues a message of the panel, inside a change, and returns its id. */
export function queueMail({ db, runtime, store, now }: Sender, mail: Mail, { lifetimeMs, share }: Delivery): string {
  const id = runtime.id()
  const recipient = mail.to.toLowerCase()
  if (countWaiting(db, recipient, share) >= MAX_WAITING_PER_ADDRESS) {
    runtime.log.warn({ message: id, share }, 'a message was dropped: too many wait for its address')
    return id
  }
  const content = runtime.seal(purpose, JSON.stringify(mail))
  const times = { created_at: now, expires_at: now + lifetimeMs, next_at: now }
  db.insert(mailMessages)
    .values({ id, recipient, share, content, ...times })
    .run()
  store.afterCommit(() => runtime.signals.emit('mail'))
  return id
}

const countWaiting = (db: Sender['db'], recipient: string, share: Share): number =>
  db
    .select({ total: count() })
    .from(mailMessages)
    .where(and(goesTo(recipient, share), isWaiting))
    .get()!.total

const isWaiting = isNotNull(mailMessages.next_at)
const goesTo = (recipient: string, share: Share): SQL | undefined =>
  and(eq(mailMessages.recipient, recipient), eq(mailMessages.share, share))

export const openMail = (runtime: Runtime, content: string): Mail => JSON.parse(runtime.unseal(purpose, content))

/** Deletes messages that are too old to send, and sent ones that no limit counts any more; inside a change. */
export function forgetOldMail({ store: { db } }: Runtime, now: number): void {
  db.delete(mailMessages)
    .where(and(isWaiting, lte(mailMessages.expires_at, now)))
    .run()
  db.delete(mailMessages)
    .where(lte(mailMessages.sent_at, now - day))
    .run()
}

/** The next message that is due within the limits, or when to look again if the hour has no room. Inside a change. */
export function takeDue({ store: { db } }: Runtime, now: number): { readonly row?: MailRow; readonly from?: number } {
  const shares = new HourlyShares(db, now)
  for (;;) {
    const due = sharesDue(db, now)
    if (due.length === 0) return {}
    const share = shares.next(due)
    if (share === undefined) return { from: shares.freeFrom }
    const row = firstDue(db, now, share)!
    const from = fullUntil(db, now, row)
    if (from === undefined) return { row }
    // All of them at once: another look at each would cost the more, the more wait.
    db.update(mailMessages)
      .set({ next_at: from })
      .where(and(goesTo(row.recipient, share), isDue(now)))
      .run()
  }
}

const isDue = (now: number): SQL | undefined => and(isWaiting, lte(mailMessages.next_at, now))

const sharesDue = (db: Sender['db'], now: number): Share[] =>
  db
    .selectDistinct({ share: mailMessages.share })
    .from(mailMessages)
    .where(isDue(now))
    .all()
    .map(({ share }) => share)

const firstDue = (db: Sender['db'], now: number, share: Share): MailRow | undefined =>
  db
    .select()
    .from(mailMessages)
    .where(and(eq(mailMessages.share, share), isDue(now)))
    .orderBy(asc(mailMessages.next_at), asc(mailMessages.id))
    .limit(1)
    .get()

/** When the address gets more of this share; undefined: now. */
function fullUntil(db: Sender['db'], now: number, { recipient, share }: MailRow): number | undefined {
  const sent = and(goesTo(recipient, share), gt(mailMessages.sent_at, now - day))
  const today = db
    .select({ total: count(), first: min(mailMessages.sent_at) })
    .from(mailMessages)
    .where(sent)
    .get()!
  return today.total >= MAX_PER_ADDRESS_AND_DAY ? today.first! + day : undefined
}

export function noteSent({ store, signals }: Runtime, { id }: MailRow, now: number): void {
  const sent = { content: null, next_at: null, sent_at: now }
  store.db.update(mailMessages).set(sent).where(eq(mailMessages.id, id)).run()
  store.afterCommit(() => signals.emit('mailed', id))
}

/** Minutes until the next attempts; the last one repeats until the message expires. */
const RETRY_MINUTES = [1, 5, 30, 120] as const

export function noteFailed({ store: { db } }: Runtime, { id, attempts }: MailRow, now: number): void {
  const minutes = RETRY_MINUTES[attempts] ?? RETRY_MINUTES.at(-1)!
  const next = { attempts: attempts + 1, next_at: now + minutes * 60_000 }
  db.update(mailMessages).set(next).where(eq(mailMessages.id, id)).run()
}

export const earliestMail = ({ store: { db } }: Runtime): number | undefined =>
  db
    .select({ at: min(mailMessages.next_at) })
    .from(mailMessages)
    .get()?.at ?? undefined
