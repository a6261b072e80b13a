import { FIRST_ACCOUNT_UID, LAST_ACCOUNT_UID } from '../../../shared/account-uids.ts'
import { queueId } from '../../../shared/patterns.ts'
import { command, isLarge } from '../command.ts'
import { complete, listOf, type Output, object, oneOf, optional, patterns, text, yesOrNo } from '../fields.ts'
import { areOf, isPage } from '../page.ts'
import * as shape from '../shape.ts'
import { anyCount, MAX_ACCOUNTS } from './names.ts'

/** Messages that one page lists, and one change names. */
export const MAX_QUEUED = 500
/** More than a mail server can have: the sum of all nodes stays a safe integer. */
const MAX_TOTAL = 1_000_000_000
/** A message lists so many of its recipients. */
export const MAX_LISTED_RECIPIENTS = 10
/** An address or a reason beyond this is cut. */
export const MAX_QUEUE_TEXT = 254

const id = text(new RegExp(`^${queueId}$`))

/** Which messages: those that meet all of it. */
const filter = {
  ids: optional(listOf(id, MAX_QUEUED)),
  /** The envelope's sender, in lower case; empty for bounces. */
  sender: optional(text(/^[^\p{Cc}\p{Cs}]*$/u)),
  recipientDomain: optional(text(patterns.hostname)),
  onHold: optional(yesOrNo),
  /** Those that arrived earlier, in milliseconds. */
  arrivedBefore: optional(anyCount),
  /** Only messages of these accounts. */
  uids: optional(listOf(complete(FIRST_ACCOUNT_UID, LAST_ACCOUNT_UID), MAX_ACCOUNTS)),
}

const queueFilter = object(filter, 'a filter')
export type QueueFilter = Output<typeof queueFilter>

const page = object(
  {
    filter: queueFilter,
    limit: complete(1, MAX_QUEUED),
    after: optional(object({ arrivedAt: anyCount, id }, 'a place')),
  },
  'mailQueue',
)
export type QueuePage = Output<typeof page>

const change = object({ change: oneOf('retry', 'hold', 'release', 'delete'), filter: queueFilter }, 'changeMailQueue')
export type QueueChange = Output<typeof change>

const line = shape.text(2 * MAX_QUEUE_TEXT)

const message = shape.fields({
  id: shape.exactly(new RegExp(`^${queueId}$`)),
  from: line,
  to: shape.list(line, MAX_LISTED_RECIPIENTS),
  /** How many it has yet to reach. */
  recipients: shape.count,
  /** In bytes. */
  size: shape.count,
  arrivedAt: shape.moment,
  nextAttemptAt: shape.maybe(shape.moment),
  /** How often its delivery has begun; an older agent does not say. */
  attempts: shape.maybe(shape.count),
  /** Why it waits; empty before the first attempt. */
  reason: line,
  /** The user id of the account that it belongs to. */
  uid: shape.maybe(shape.count),
  onHold: shape.flag,
})
export type QueuedMail = Output<typeof message>

type Place = Pick<QueuedMail, 'arrivedAt' | 'id'>
/** Whether a message comes before another one in the list. */
export const isOlder = (one: Place, other: Place): boolean =>
  one.arrivedAt < other.arrivedAt || (one.arrivedAt === other.arrivedAt && one.id < other.id)

/** What waits in the mail server's queue. */
export const mailQueueCommands = {
  /** Messages, the oldest first. */
  mailQueue: command({
    input: page,
    result: shape.fields({ items: shape.list(message, MAX_QUEUED), total: shape.upTo(MAX_TOTAL), more: shape.flag }),
    large: isLarge,
    fits: ({ limit, after, filter: { uids } }, page) =>
      isPage(page, { limit, after }, isOlder) && areOf(uids, page.items),
  }),
  /** Retries, holds, releases or deletes messages; `gone` are named ones that no longer wait. */
  changeMailQueue: command({
    input: change,
    result: shape.fields({
      matched: shape.upTo(MAX_TOTAL),
      changed: shape.upTo(MAX_TOTAL),
      gone: shape.list(shape.exactly(new RegExp(`^${queueId}$`)), MAX_QUEUED),
    }),
  }),
}
