import { and, eq, gt, gte, inArray, isNull, lt, sql } from 'drizzle-orm'
import type { SentReason } from '../../contract/alerts.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { day, hour, minute } from '../../shared/time.ts'
import type { NoticeData } from '../accounts/objects/notice.ts'
import { partsOf } from '../accounts/objects/part.ts'
import { accounts } from '../accounts/tables.ts'
import { isQuota, mailNotice } from '../customer-emails/causes.ts'
import { dismissals } from '../notices/tables.ts'
import { Listeners } from './channels/hears.ts'
import { dueAt } from './channels/quiet.ts'
import { setAlert } from './store.ts'
import { type AlertRow, alerts, type ChannelRow, channels, sends } from './tables.ts'

/** A cause that is gone for less counts as standing. */
const GONE_MS = 5 * minute
/** A cause that comes back within this time is the same alert. */
const REOPENS_MS = hour
/** Of one cause to one channel. */
const PACE_MS = hour
const RETENTION_MS = 90 * day
/** Causes that one change writes: requests get their turn in between. */
const SLICE = 200
const ALL = 1_000_000

const keyOf = ({ kind, object_id }: { kind: string; object_id: string }): string => `${kind} ${object_id}`

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** What stands now, read kind by kind with a pause after each. */
async function noticesNow(runtime: Runtime): Promise<Map<string, NoticeData>> {
  const found = new Map<string, NoticeData>()
  for (const { notices } of partsOf(runtime)) {
    const ctx = { db: runtime.store.db, now: runtime.clock.now(), runtime }
    for (const notice of notices?.(ctx, { limit: ALL }) ?? []) found.set(keyOf(notice), notice)
    await pause()
  }
  return found
}

/** Compares what stands with the open alerts, and writes the differences. */
export async function compareCauses(runtime: Runtime, signal: AbortSignal): Promise<void> {
  const found = await noticesNow(runtime)
  const open = runtime.store.db.select().from(alerts).where(isNull(alerts.ended_at)).all()
  const known = new Map(open.map((alert) => [keyOf(alert), alert]))
  const work: ((tick: Tick) => void)[] = [
    ...[...found].flatMap(([key, notice]) => actOn(notice, known.get(key))),
    ...open.flatMap((alert) => (found.has(keyOf(alert)) ? [] : [(tick: Tick) => tick.missing(alert)])),
  ]
  for (let at = 0; at < work.length && !signal.aborted; at += SLICE) {
    const slice = work.slice(at, at + SLICE)
    await runtime.store.change(() => {
      const tick = new Tick(runtime)
      for (const act of slice) act(tick)
    })
    await pause()
  }
  await runtime.store.change(() => new Tick(runtime).escalate())
}

/** Nothing for a cause that stands as it did. */
function actOn(notice: NoticeData, alert: AlertRow | undefined): ((tick: Tick) => void)[] {
  if (!alert) return [(tick) => tick.opened(notice)]
  const isSame = alert.gone_at === null && changesOf(notice, alert) === undefined
  return isSame ? [] : [(tick) => tick.persists(notice, alert)]
}

function changesOf(notice: NoticeData, alert: AlertRow): Partial<AlertRow> | undefined {
  const { severity, name, detail, since, operation = null } = notice
  const now = { severity, name, detail, since, operation }
  const differs = (Object.keys(now) as (keyof typeof now)[]).some((field) => now[field] !== alert[field])
  return differs ? now : undefined
}

/** The changes of one moment, inside one transaction. */
class Tick {
  readonly #runtime: Runtime
  readonly #now: number
  readonly #listeners: Listeners
  readonly #dues = new Map<string, number>()

  constructor(runtime: Runtime) {
    this.#runtime = runtime
    this.#now = runtime.clock.now()
    this.#listeners = new Listeners(runtime.store.db)
  }

  get #db() {
    return this.#runtime.store.db
  }

  opened(notice: NoticeData): void {
    const { kind, object_id } = notice
    const lately = and(
      eq(alerts.kind, kind),
      eq(alerts.object_id, object_id),
      gt(alerts.ended_at, this.#now - REOPENS_MS),
    )
    const former = this.#db.select().from(alerts).where(lately).get()
    if (former) return this.#reopened(notice, former)
    const { severity, object, name, detail, since, operation = null, account_id = null } = notice
    const row: AlertRow = {
      ...{ id: this.#runtime.id(), kind, severity, object, object_id, name, detail, since, operation, account_id },
      ...this.#ownerOf(account_id),
      state: 'open',
      ...{ acknowledged_at: null, acknowledged_by: null, acknowledged_as: null, note: null, gone_at: null },
      ended_at: null,
      created_at: this.#now,
    }
    this.#db.insert(alerts).values(row).run()
    for (const channel of this.#listeners.of(row)) this.#send(row, channel, 'opened')
    mailNotice(this.#runtime, notice)
  }

  #ownerOf(accountId: string | null): Pick<AlertRow, 'owner_id' | 'username'> {
    if (accountId === null) return { owner_id: null, username: null }
    const { owner_id, username } = accounts
    const found = this.#db.select({ owner_id, username }).from(accounts).where(eq(accounts.id, accountId)).get()
    return found ?? { owner_id: null, username: null }
  }

  /** A cause that ends before it was sent is never sent; otherwise its end is. */
  #reopened(notice: NoticeData, former: AlertRow): void {
    const values = { ...changesOf(notice, former), state: 'open' as const, ended_at: null, gone_at: null }
    const acknowledged = { acknowledged_at: null, acknowledged_by: null, acknowledged_as: null }
    setAlert(this.#db, former.id, { ...values, ...acknowledged })
    const row = { ...former, ...values, ...acknowledged }
    const unsent = this.#dropWaiting(row, 'ended')
    for (const channel of this.#listeners.of(row))
      if (!unsent.has(channel.id)) this.#send(row, channel, this.#wasNotified(row, channel) ? 'reminded' : 'opened')
  }

  persists(notice: NoticeData, alert: AlertRow): void {
    const changes = changesOf(notice, alert)
    setAlert(this.#db, alert.id, { ...changes, gone_at: null })
    if (isQuota(notice.kind) && notice.since > alert.since) mailNotice(this.#runtime, notice)
    if (alert.severity !== 'warn' || notice.severity !== 'error') return
    const row = { ...alert, ...changes }
    for (const channel of this.#listeners.of(row))
      this.#send(row, channel, this.#wasNotified(row, channel) ? 'reminded' : 'opened')
  }

  /** Dismissed: ended in silence. Gone for a while: back to normal. */
  missing(alert: AlertRow): void {
    if (this.#isDismissed(alert)) {
      this.#end(alert)
      for (const what of ['opened', 'reminded', 'escalated'] as const) this.#dropWaiting(alert, what)
      return
    }
    if (alert.gone_at === null) return setAlert(this.#db, alert.id, { gone_at: this.#now })
    if (this.#now - alert.gone_at < GONE_MS) return
    this.#end(alert)
    this.#notifyEnd(alert)
  }

  #end({ id }: AlertRow): void {
    setAlert(this.#db, id, { state: 'ended', ended_at: this.#now })
  }

  /** To those who were notified that it began. What still waits says itself that it has ended meanwhile. */
  #notifyEnd(alert: AlertRow): void {
    this.#dropWaiting(alert, 'reminded')
    this.#dropWaiting(alert, 'escalated')
    const notified = this.#db
      .selectDistinct({ channel: channels })
      .from(sends)
      .innerJoin(channels, eq(channels.id, sends.channel_id))
      .where(and(eq(sends.alert_id, alert.id), eq(sends.outcome, 'sent')))
      .all()
    for (const { channel } of notified) if (this.#listeners.byId(channel.id)) this.#send(alert, channel, 'ended')
  }

  #isDismissed({ kind, object_id, since }: AlertRow): boolean {
    const same = and(eq(dismissals.kind, kind), eq(dismissals.object_id, object_id), gte(dismissals.since, since))
    return this.#db.select().from(dismissals).where(same).get() !== undefined
  }

  /** Forgets what waits, unless it is on its way; returns for which channels. */
  #dropWaiting({ id }: AlertRow, what: SentReason): Set<string> {
    const waiting = and(
      eq(sends.alert_id, id),
      eq(sends.what, what),
      eq(sends.outcome, 'waiting'),
      isNull(sends.message_id),
    )
    const rows = this.#db.delete(sends).where(waiting).returning({ channel: sends.channel_id }).all()
    return new Set(rows.map(({ channel }) => channel))
  }

  #wasNotified({ id }: AlertRow, channel: ChannelRow): boolean {
    const own = and(
      eq(sends.alert_id, id),
      eq(sends.channel_id, channel.id),
      inArray(sends.outcome, ['sent', 'waiting']),
    )
    return this.#db.select({ id: sends.id }).from(sends).where(own).get() !== undefined
  }

  #send(alert: AlertRow, channel: ChannelRow, what: SentReason): void {
    const now = this.#now
    const due = Math.max(this.#dueAt(channel, alert.severity), this.#lastTo(alert, channel) + PACE_MS)
    const row = { alert_id: alert.id, channel_id: channel.id, what, outcome: 'waiting' as const, at: now, due_at: due }
    this.#db
      .insert(sends)
      .values({ id: this.#runtime.id(), ...row })
      .run()
  }

  /** Computed once for all causes of this moment. */
  #dueAt(channel: ChannelRow, severity: AlertRow['severity']): number {
    const key = `${channel.id} ${severity}`
    const known = this.#dues.get(key)
    if (known !== undefined) return known
    const due = dueAt(channel, severity, this.#now)
    this.#dues.set(key, due)
    return due
  }

  #lastTo({ id }: AlertRow, channel: ChannelRow): number {
    const own = and(eq(sends.alert_id, id), eq(sends.channel_id, channel.id), eq(sends.outcome, 'sent'))
    return (
      this.#db
        .select({ at: sql<number | null>`max(${sends.at})` })
        .from(sends)
        .where(own)
        .get()?.at ?? -PACE_MS
    )
  }

  /** Sends on what was not acknowledged in time, once; and forgets what is too old. */
  escalate(): void {
    const isLate = sql`${sends.at} + ${channels.escalate_after_min} * ${minute} <= ${this.#now}`
    const late = this.#db
      .select({ alert: alerts, from: channels })
      .from(sends)
      .innerJoin(alerts, and(eq(alerts.id, sends.alert_id), isNull(alerts.ended_at)))
      .innerJoin(channels, eq(channels.id, sends.channel_id))
      .where(and(eq(sends.what, 'opened'), eq(sends.outcome, 'sent'), isLate, sql`${channels.escalate_to} IS NOT NULL`))
      .all()
    for (const { alert, from } of late) {
      const next = this.#listeners.byId(from.escalate_to!)
      if (next && !this.#isAcknowledged(alert, from) && !this.#wasEscalated(alert, next))
        this.#send(alert, next, 'escalated')
    }
    this.#db
      .delete(alerts)
      .where(lt(alerts.ended_at, this.#now - RETENTION_MS))
      .run()
  }

  #wasEscalated({ id }: AlertRow, next: ChannelRow): boolean {
    const same = and(eq(sends.alert_id, id), eq(sends.channel_id, next.id), eq(sends.what, 'escalated'))
    return this.#db.select({ id: sends.id }).from(sends).where(same).get() !== undefined
  }

  /** By the owner of the channel, or somebody above. */
  #isAcknowledged({ acknowledged_as: by }: AlertRow, { account_id, owner_id }: ChannelRow): boolean {
    if (by === null || by === 'root') return by === 'root'
    if (account_id !== null) return true
    return by === 'reseller' && this.#listeners.isReseller(owner_id)
  }
}
