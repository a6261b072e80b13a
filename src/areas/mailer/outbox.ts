import { and, asc, count, eq, gt, isNotNull, lte, min, type SQL } from 'drizzle-orm'
import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { day, hour } from '../../shared/time.ts'
import type { Mail } from './compose.ts'
import { maxPerHour } from './settings.ts'
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

/** Messages to one address in a day; the rest waits. */
const MAX_PER_ADDRESS_AND_DAY = 20

type Sender = Pick<Context, 'db' | 'runtime' | 'store' | 'now'>

/** Queues a message of the panel, inside a change, and returns its id. It is given up after `lifetimeMs`. */
export function queueMail({ db, runtime, store, now }: Sender, mail: Mail, lifetimeMs: number): string {
  const id = runtime.id()
  const content = runtime.seal(purpose, JSON.stringify(mail))
  const recipient = mail.to.toLowerCase()
  const times = { created_at: now, expires_at: now + lifetimeMs, next_at: now }
  db.insert(mailMessages)
    .values({ id, recipient, content, ...times })
    .run()
  store.afterCommit(() => runtime.signals.emit('mail'))
  return id
}

export const openMail = (runtime: Runtime, content: string): Mail => JSON.parse(runtime.unseal(purpose, content))

/** Deletes messages that are too old to send, and sent ones that no limit counts any more; inside a change. */
export function forgetOldMail({ store: { db } }: Runtime, now: number): void {
  db.delete(mailMessages)
    .where(and(isNotNull(mailMessages.next_at), lte(mailMessages.expires_at, now)))
    .run()
  db.delete(mailMessages)
    .where(lte(mailMessages.sent_at, now - day))
    .run()
}

/** The next message that is due, within the limits; those beyond them wait. Inside a change. */
export function takeDue(runtime: Runtime, now: number): MailRow | undefined {
  const { db } = runtime.store
  for (;;) {
    const due = and(isNotNull(mailMessages.next_at), lte(mailMessages.next_at, now))
    const row = db.select().from(mailMessages).where(due).orderBy(asc(mailMessages.id)).limit(1).get()
    const from = row && freeFrom(runtime, row, now)
    if (!row || from === undefined) return row
    db.update(mailMessages).set({ next_at: from }).where(eq(mailMessages.id, row.id)).run()
  }
}

/** When the limits let the message go; undefined: now. */
function freeFrom({ store: { db } }: Runtime, { recipient }: MailRow, now: number): number | undefined {
  const sentSince = (ms: number, which?: SQL) => {
    const sent = and(gt(mailMessages.sent_at, now - ms), which)
    return db
      .select({ total: count(), first: min(mailMessages.sent_at) })
      .from(mailMessages)
      .where(sent)
      .get()!
  }
  const today = sentSince(day, eq(mailMessages.recipient, recipient))
  if (today.total >= MAX_PER_ADDRESS_AND_DAY) return today.first! + day
  const lately = sentSince(hour)
  return lately.total >= maxPerHour(db) ? lately.first! + hour : undefined
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
