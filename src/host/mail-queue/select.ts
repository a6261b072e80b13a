import {
  isOlder,
  MAX_LISTED_RECIPIENTS,
  MAX_QUEUE_TEXT,
  type QueueChange,
  type QueuedMail,
  type QueueFilter,
  type QueuePage,
} from '../contract/commands/mail-queue.ts'
import type { Doing } from '../contract/driver.ts'

/** A message, as the mail server lists it. Addresses and the reason are text of others. */
export interface QueuedMessage {
  readonly id: string
  readonly from: string
  readonly to: readonly string[]
  readonly size: number
  readonly arrivedAt: number
  readonly reason: string
  /** Where the mail server has it. */
  readonly queue: string
}

/** A mail server's queue. */
export interface MailQueue {
  messages(signal?: AbortSignal): AsyncIterable<QueuedMessage>
  /** The account that a message belongs to; undefined if none does, or several. */
  ownerOf(message: QueuedMessage): Promise<number | undefined>
  nextAttempt(message: QueuedMessage): Promise<number | undefined>
  /** How often its delivery has begun. */
  attempts(message: QueuedMessage): number
  /** Returns the ids of those that were still there. */
  change(change: QueueChange['change'], ids: readonly string[], doing: Doing): Promise<readonly string[]>
}

interface QueueList {
  readonly items: readonly QueuedMail[]
  readonly total: number
  readonly more: boolean
}

/** Bytes of a page: whatever strangers write into a message, the answer is not refused for its size. */
const MAX_PAGE_BYTES = 256 * 1024

const isOnHold = ({ queue }: QueuedMessage): boolean => queue === 'hold'
const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase()

const byPlace = (one: QueuedMessage, other: QueuedMessage): number => (isOlder(one, other) ? -1 : 1)

/** Whether a message meets a filter, apart from its owner. */
const meets = (filter: QueueFilter, ids: ReadonlySet<string> | undefined, message: QueuedMessage): boolean =>
  (ids === undefined || ids.has(message.id)) &&
  (filter.onHold === undefined || filter.onHold === isOnHold(message)) &&
  (filter.arrivedBefore === undefined || message.arrivedAt < filter.arrivedBefore) &&
  (filter.sender === undefined || message.from.toLowerCase() === filter.sender) &&
  (filter.recipientDomain === undefined || message.to.some((address) => domainOf(address) === filter.recipientDomain))

/** The messages that meet a filter; only its owner is looked up, as that may take reading the message's file. */
async function* selected(queue: MailQueue, filter: QueueFilter, signal?: AbortSignal) {
  const ids = filter.ids && new Set(filter.ids)
  const uids = filter.uids && new Set(filter.uids)
  for await (const message of queue.messages(signal)) {
    if (!meets(filter, ids, message)) continue
    if (uids && !uids.has((await queue.ownerOf(message)) ?? 0)) continue
    yield message
  }
}

/** The oldest messages after a place. */
export async function listQueue(
  queue: MailQueue,
  { filter, limit, after }: QueuePage,
  { signal }: Doing = {},
): Promise<QueueList> {
  let first: QueuedMessage[] = []
  let [total, following] = [0, 0]
  for await (const message of selected(queue, filter, signal)) {
    total++
    if (after && !isOlder(after, message)) continue
    following++
    first.push(message)
    if (first.length > 4 * limit) first = first.sort(byPlace).slice(0, limit)
  }
  const items = await described(queue, first.sort(byPlace).slice(0, limit))
  return { items, total, more: following > items.length }
}

async function described(queue: MailQueue, messages: readonly QueuedMessage[]): Promise<QueuedMail[]> {
  const items: QueuedMail[] = []
  let bytes = 0
  for (const message of messages) {
    const item = await describe(queue, message)
    bytes += Buffer.byteLength(JSON.stringify(item))
    if (items.length > 0 && bytes > MAX_PAGE_BYTES) return items
    items.push(item)
  }
  return items
}

async function describe(queue: MailQueue, message: QueuedMessage): Promise<QueuedMail> {
  const { id, from, to, size, arrivedAt, reason } = message
  const [uid, nextAttemptAt] = [await queue.ownerOf(message), await queue.nextAttempt(message)]
  return {
    ...{ id, size, arrivedAt, onHold: isOnHold(message), recipients: to.length, attempts: queue.attempts(message) },
    ...{ from: printable(from), to: to.slice(0, MAX_LISTED_RECIPIENTS).map(printable), reason: printable(reason) },
    ...(nextAttemptAt !== undefined && { nextAttemptAt }),
    ...(uid !== undefined && { uid }),
  }
}

/** Others' text on one line: what a terminal would obey is not text. */
export const printable = (text: string): string =>
  text.slice(0, MAX_QUEUE_TEXT).replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '?')

interface Changed {
  readonly matched: number
  readonly changed: number
  readonly gone: readonly string[]
}

/** Changes what meets the filter now. Retrying leaves what is held, which is released instead. */
export async function changeQueue(
  queue: MailQueue,
  { change, filter }: QueueChange,
  doing: Doing = {},
): Promise<Changed> {
  const found: string[] = []
  for await (const message of selected(queue, filter, doing.signal))
    if (change !== 'retry' || !isOnHold(message)) found.push(message.id)
  const changed = new Set(found.length > 0 ? await queue.change(change, found, doing) : [])
  const named = filter.ids ?? []
  return { matched: found.length, changed: changed.size, gone: named.filter((id) => !changed.has(id)) }
}
