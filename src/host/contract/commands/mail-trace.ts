import { FIRST_ACCOUNT_UID, LAST_ACCOUNT_UID } from '../../../shared/account-uids.ts'
import { MAX_TRACED, traceOutcomes } from '../../../shared/mail-trace.ts'
import { queueId } from '../../../shared/patterns.ts'
import { command, isLarge } from '../command.ts'
import { complete, listOf, type Output, object, oneOf, optional, text } from '../fields.ts'
import { areOf, isPage } from '../page.ts'
import * as shape from '../shape.ts'
import { anyCount, MAX_ACCOUNTS } from './names.ts'

export const MAX_TRACE_DAYS = 90
/** An address or an answer beyond this is cut. */
export const MAX_TRACE_TEXT = 254

const part = text(/^[^\p{Cc}\p{Cs}]+$/u)

const query = object(
  {
    /** Part of the account's own address, in lower case. */
    address: optional(part),
    /** Part of the address of the other side. */
    with: optional(part),
    since: optional(anyCount),
    direction: optional(oneOf('in', 'out')),
    /** Only rows of these accounts. */
    uids: optional(listOf(complete(FIRST_ACCOUNT_UID, LAST_ACCOUNT_UID), MAX_ACCOUNTS)),
    limit: complete(1, MAX_TRACED),
    /** Rows that come after this one, which is newer. */
    after: optional(object({ at: anyCount, n: anyCount }, 'a place')),
    /** How long rows are stored. */
    days: complete(1, MAX_TRACE_DAYS),
  },
  'mailTrace',
)
export type TraceQuery = Output<typeof query>

const line = shape.text(2 * MAX_TRACE_TEXT)

const row = shape.fields({
  /** Its number on the host. */
  n: shape.upTo(shape.MAX_PLACE),
  at: shape.moment,
  uid: shape.count,
  direction: shape.oneOf('in', 'out'),
  from: line,
  to: line,
  /** In bytes; absent for what was refused before it was sent. */
  size: shape.maybe(shape.count),
  /** The address that it came from. */
  client: shape.maybe(shape.text(64)),
  score: shape.maybe(shape.number),
  outcome: shape.oneOf(...traceOutcomes),
  /** The mailbox that has it. */
  mailbox: shape.maybe(line),
  remoteHost: shape.maybe(line),
  answer: line,
  queueId: shape.maybe(shape.exactly(new RegExp(`^${queueId}$`))),
})
export type TraceRow = Output<typeof row>

type Place = Pick<TraceRow, 'at' | 'n'>
const isNewer = (one: Place, other: Place): boolean => one.at > other.at || (one.at === other.at && one.n > other.n)

/** What became of messages. */
export const mailTraceCommands = {
  /** The newest first. */
  mailTrace: command({
    input: query,
    result: shape.fields({ items: shape.list(row, MAX_TRACED), more: shape.flag }),
    large: isLarge,
    fits: ({ limit, after, uids }, page) =>
      isPage(page, { limit, after }, isNewer) && (!page.more || page.items.length === limit) && areOf(uids, page.items),
  }),
}
