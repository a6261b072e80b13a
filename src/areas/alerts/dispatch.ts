import { and, asc, eq, inArray, isNotNull, lte, min, sql } from 'drizzle-orm'
import type { Outgoing } from '../../outgoing/client.ts'
import type { Engine } from '../../runtime/areas/engine.ts'
import { every } from '../../runtime/clock/interval.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { day, hour, minute } from '../../shared/time.ts'
import { accounts } from '../accounts/tables.ts'
import { isMailReady } from '../mailer/mailer.ts'
import { queueMail } from '../mailer/outbox.ts'
import { SERVER, type Share } from '../mailer/shares.ts'
import { compareCauses } from './causes.ts'
import { Listeners } from './channels/hears.ts'
import { channelById, setChannel } from './channels/store.ts'
import { isAboutMail } from './mail-kinds.ts'
import { type AlertItem, MANY, type Message, messageOf } from './message.ts'
import { type Posted, postMessage, useOutgoing } from './post.ts'
import { senderFor, shareFor } from './sender.ts'
import { dropWaiting } from './sends.ts'
import { type AlertRow, alerts, type ChannelRow, channels, type SendRow, sends } from './tables.ts'

const MAX_IN_FLIGHT = 16
/** The rest is for root's channels. */
const MAX_OF_TENANTS = 12
/** Of root, of a customer, or of a reseller with its customers. */
const MAX_PER_SHARE = 4
const MAX_FAILURES = 50
/** Minutes until the next attempts; then it is given up. */
const RETRY_MINUTES = [1, 5, 30, 120] as const
const MAIL_LIFE_MS = 2 * day
/** In a digest, or after quiet hours, all goes in one message. */
const MAX_IN_MESSAGE = 500

interface Waiting {
  readonly send: SendRow
  readonly alert: AlertRow
}

/** Compares causes each minute, and sends what is due: one message at a time to each channel. */
export class AlertDispatcher implements Engine {
  readonly #runtime: Runtime
  readonly #stopping = new AbortController()
  readonly #inFlight = new Map<string, { share: Share; done: Promise<void> }>()
  readonly #stopComparing: () => Promise<void>
  #cancelTimer = (): void => {}
  #isComparing = false

  constructor(runtime: Runtime, outgoing: Outgoing) {
    this.#runtime = runtime
    useOutgoing(runtime, outgoing)
    const failure = 'what needs attention could not be compared'
    this.#stopComparing = every(runtime, minute, failure, (signal) => this.#compare(signal))
    this.#pump()
  }

  get inFlight(): number {
    return this.#inFlight.size
  }

  hold(): void {
    this.#stopping.abort()
    this.#cancelTimer()
  }

  async stop(): Promise<void> {
    this.hold()
    await this.#stopComparing()
    await Promise.all([...this.#inFlight.values()].map(({ done }) => done))
  }

  /** Sends nothing meanwhile: many causes at once are one message. */
  async #compare(signal: AbortSignal): Promise<void> {
    this.#isComparing = true
    try {
      await compareCauses(this.#runtime, signal)
    } finally {
      this.#isComparing = false
      this.#pump()
    }
  }

  /** Starts what is due, the longest waiting first, and wakes up for what is due next. */
  readonly #pump = (): void => {
    if (this.#stopping.signal.aborted || this.#isComparing) return
    const { clock, store } = this.#runtime
    const due = store.db
      .select({ id: sends.channel_id, channel: channels, reseller: accounts.owner_id, at: min(sends.due_at) })
      .from(sends)
      .innerJoin(channels, eq(channels.id, sends.channel_id))
      .leftJoin(accounts, eq(accounts.id, channels.account_id))
      .where(isNotNull(sends.due_at))
      .groupBy(sends.channel_id)
      .orderBy(asc(min(sends.due_at)))
      .all()
    for (const { id, channel, reseller, at } of due) {
      if (at! > clock.now() || this.#inFlight.size >= MAX_IN_FLIGHT) break
      const share = shareFor(store.db, channel, reseller)
      if (this.#hasRoom(id, share)) this.#begin(id, share)
    }
    const next = due.find(({ id, at }) => !this.#inFlight.has(id) && at! > clock.now())?.at
    this.#cancelTimer()
    if (next) this.#cancelTimer = clock.after(Math.min(next - clock.now(), minute), this.#pump)
  }

  #hasRoom(id: string, share: Share): boolean {
    if (this.#inFlight.has(id)) return false
    const busy = [...this.#inFlight.values()]
    if (share !== SERVER && busy.filter((one) => one.share !== SERVER).length >= MAX_OF_TENANTS) return false
    return busy.filter((one) => one.share === share).length < MAX_PER_SHARE
  }

  #begin(id: string, share: Share): void {
    const done = this.#serve(id)
      .catch((error: unknown) => this.#runtime.log.error({ err: error, channel: id }, 'an alert could not be sent'))
      .finally(() => {
        this.#inFlight.delete(id)
        this.#pump()
      })
    this.#inFlight.set(id, { share, done })
  }

  /** Mail is handed to the mailer in the change that notes it: no crash doubles it. */
  async #serve(id: string): Promise<void> {
    const { store } = this.#runtime
    const claimed = await store.change(() => claim(this.#runtime, id))
    if (!claimed || this.#stopping.signal.aborted) return
    const { channel, waiting, message } = claimed
    const number = waiting[0]!.send.attempts + 1
    const posted = await postMessage(this.#runtime, channel, message, number, this.#stopping.signal)
    // Interrupted by a stop: sent again with the same id.
    if (this.#stopping.signal.aborted && !posted.ok) return
    await store.change(() => settle(this.#runtime, channel.id, waiting, posted))
  }
}

interface Claimed {
  readonly channel: ChannelRow
  readonly waiting: readonly Waiting[]
  readonly message: Message
}

/** Takes what goes into the next message to a webhook; mail goes out at once. Inside a change. */
function claim(runtime: Runtime, id: string): Claimed | undefined {
  const { db } = runtime.store
  const channel = channelById(db, id)
  const now = runtime.clock.now()
  if (!channel) return undefined
  const problem = problemOf(runtime, channel)
  if (problem !== undefined) return void dropWaiting(db, id, now, problem)
  const waiting = nextBatch(runtime, channel)
  if (waiting.length === 0) return undefined
  const messageId = waiting[0]!.send.message_id ?? runtime.id()
  const ids = waiting.map(({ send }) => send.id)
  db.update(sends).set({ message_id: messageId }).where(inArray(sends.id, ids)).run()
  const message = messageOf({ id: messageId, at: now, server: runtime.hostname }, waiting.map(itemOf))
  if (channel.type === 'webhook') return { channel, waiting, message }
  mail(runtime, channel, message)
  settle(runtime, id, waiting, { ok: true, answer: '' })
  return undefined
}

const itemOf = ({ send, alert }: Waiting): AlertItem => ({ alert, what: send.what })

function mail(runtime: Runtime, channel: ChannelRow, { title, text }: Message): void {
  const { store, clock } = runtime
  const ctx = { db: store.db, runtime, store, now: clock.now() }
  const letter = { to: channel.recipient!, ...senderFor(ctx, channel), subject: title, text }
  queueMail(ctx, letter, { lifetimeMs: MAIL_LIFE_MS, share: shareFor(store.db, channel) })
}

/** Why nothing may be sent to a channel. */
function problemOf(runtime: Runtime, channel: ChannelRow): string | undefined {
  if (!channel.enabled) return 'The channel is switched off.'
  if (!channel.verified) return 'The address has not been confirmed.'
  if (channel.type === 'mail' && !isMailReady(runtime)) return 'This server does not send mail.'
  return new Listeners(runtime.store.db).byId(channel.id) ? undefined : 'The reseller may not see its accounts.'
}

/**
 * What an earlier attempt began, alone: its message stays the same. Else what is due: without a digest or quiet hours
 * each cause by itself, but more than 20 of a kind together.
 */
function nextBatch(runtime: Runtime, channel: ChannelRow): Waiting[] {
  const due = dueFor(runtime, channel)
  const begun = due.find(({ send }) => send.message_id !== null)?.send.message_id
  if (begun) return due.filter(({ send }) => send.message_id === begun)
  const first = due[0]
  if (!first) return []
  if (channel.digest !== 'now' || first.send.due_at! - first.send.at >= DELAYED_MS) return due
  const kind = due.filter(({ alert, send }) => alert.kind === first.alert.kind && isEnd(send) === isEnd(first.send))
  return kind.length > MANY ? kind : [first]
}

/** What waited longer than this goes with all that waited with it. */
const DELAYED_MS = 2 * minute
const isEnd = ({ what }: SendRow): boolean => what === 'ended'

function dueFor(runtime: Runtime, channel: ChannelRow): Waiting[] {
  const { db } = runtime.store
  const rows = db
    .select({ send: sends, alert: alerts })
    .from(sends)
    .innerJoin(alerts, eq(alerts.id, sends.alert_id))
    .where(and(eq(sends.channel_id, channel.id), isNotNull(sends.due_at), lte(sends.due_at, runtime.clock.now())))
    .orderBy(asc(sends.id))
    .limit(sql`${MAX_IN_MESSAGE} + 0` as unknown as number)
    .all()
  const barred = rows.filter(({ alert }) => channel.type === 'mail' && isAboutMail(alert.kind))
  for (const { send } of barred) skip(runtime, send)
  return rows.filter((row) => !barred.includes(row))
}

function skip({ store, clock }: Runtime, { id }: SendRow): void {
  const error = 'Mail does not report on mail.'
  store.db.update(sends).set({ outcome: 'skipped', at: clock.now(), due_at: null, error }).where(eq(sends.id, id)).run()
}

/** Notes the outcome of a message; inside a change. */
function settle(runtime: Runtime, channelId: string, waiting: readonly Waiting[], { ok, answer }: Posted): void {
  const { db } = runtime.store
  const now = runtime.clock.now()
  const ids = waiting.map(({ send }) => send.id)
  const attempts = waiting[0]!.send.attempts + 1
  const wait = RETRY_MINUTES[attempts - 1]
  const isOver = ok || wait === undefined
  const outcome = ok ? 'sent' : isOver ? 'failed' : 'waiting'
  const times = isOver ? { at: now, due_at: null } : { due_at: now + wait * minute }
  db.update(sends)
    .set({ outcome, ...times, attempts, error: ok ? null : answer })
    .where(inArray(sends.id, ids))
    .run()
  if (ok) notifyEnded(runtime, channelId, waiting)
  noteHealth(runtime, channelId, ok, answer)
}

/** What ended while the message was on its way was notified as standing. */
function notifyEnded(runtime: Runtime, channelId: string, waiting: readonly Waiting[]): void {
  const { db } = runtime.store
  const notified = waiting.filter(({ alert, send }) => alert.ended_at === null && send.what !== 'ended')
  const ids = notified.map(({ alert }) => alert.id)
  const ended = and(inArray(alerts.id, ids), isNotNull(alerts.ended_at))
  const now = runtime.clock.now()
  for (const { id } of db.select({ id: alerts.id }).from(alerts).where(ended).all())
    db.insert(sends)
      .values({
        ...{ id: runtime.id(), alert_id: id, channel_id: channelId, what: 'ended', outcome: 'waiting' },
        ...{ at: now, due_at: now + hour },
      })
      .run()
}

/** Consecutive failures switch a channel off. */
function noteHealth(runtime: Runtime, id: string, ok: boolean, answer: string): void {
  const { db } = runtime.store
  const channel = channelById(db, id)
  if (!channel?.enabled || (ok && channel.failures === 0)) return
  const failures = ok ? 0 : channel.failures + 1
  if (failures < MAX_FAILURES) return void setChannel(db, channel, { failures })
  const disabled_reason = `Switched off after ${failures} failed attempts, the last one: ${answer}`
  setChannel(db, channel, { failures, enabled: false, disabled_reason, updated_at: runtime.clock.now() })
  dropWaiting(db, id, runtime.clock.now(), 'The channel is switched off.')
}
