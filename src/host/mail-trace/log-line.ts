import { queueId } from '../../shared/patterns.ts'
import { mailTime, mailTimeOf } from '../traffic/transfers.ts'

/** What a line of Postfix's log says of a message. */
export type LogEvent = { readonly at: number; readonly id: string } & (
  | { readonly kind: 'client'; readonly client: string; readonly login?: string }
  | { readonly kind: 'program'; readonly uid: number }
  | { readonly kind: 'active'; readonly from: string; readonly size: number }
  | { readonly kind: 'score'; readonly score: number }
  | Delivery
  | {
      readonly kind: 'reject'
      readonly client: string
      readonly from: string
      readonly to: string
      readonly answer: string
    }
  /** Forwarded mail was taken back, under another id. */
  | { readonly kind: 'returned'; readonly to: string; readonly original: string; readonly next: string }
  | { readonly kind: 'expired' }
  | { readonly kind: 'removed'; readonly byHand: boolean }
)

export interface Delivery {
  readonly kind: 'delivery'
  /** Postfix's program, such as `smtp`. */
  readonly program: string
  readonly to: string
  /** The recipient before aliases. */
  readonly original?: string
  readonly remoteHost?: string
  readonly status: 'sent' | 'deferred' | 'bounced'
  readonly answer: string
}

/** The id in lines about recipients that were refused before there was a message. */
export const NO_QUEUE = 'NOQUEUE'

/**
 * An address as Postfix writes it: a local part with other characters is quoted, and what is before the last @ is the
 * local part. So what a stranger puts into an address cannot look like its end, or like another one.
 */
const address = '(?:(?:"(?:[^"\\\\]|\\\\.)*"|[^\\s<>"@]+)@)?[^\\s<>"@]*'
const host = '[A-Za-z0-9._-]+\\[([0-9A-Fa-f:.]+|unknown)\\](?::\\d+)?'

const head = new RegExp(
  `^${mailTime} \\S+ postfix/(?:(submissions?|relay|forward)/)?([a-z]+)\\[\\d+\\]: (${NO_QUEUE}|${queueId}): (.*)$`,
  's',
)
const client = new RegExp(`^client=${host}(?:, sasl_method=[A-Z0-9-]+, sasl_username=(${address}))?(?:,|$)`)
/**
 * The answer repeats the recipient as it was, so that it may hold anything: the last sender and recipient count. Postfix
 * masks what does not belong to a name in the client's greeting.
 */
const refused = new RegExp(
  `^(?:milter-)?reject: (?:RCPT|END-OF-MESSAGE) from ${host}: (\\d[^]*); from=<(${address})> to=<(${address})> proto=E?SMTP helo=<[^<>\\s]*>$`,
)
const uid = /^uid=(\d{1,10}) from=</
const active = new RegExp(`^from=<(${address})>, size=(\\d{1,12}), nrcpt=\\d+ \\(queue active\\)$`)
const expired = new RegExp(`^from=<${address}>, status=expired, returned to sender$`)
const score = /^(?:milter-header-)?(?:milter-)?info: header X-Spam-Status: (?:Yes|No), score=(-?\d{1,5}(?:\.\d{1,4})?)/
/** Postfix cuts long lines: the answer may lack its end. */
const delivery = new RegExp(
  `^to=<(${address})>(?:, orig_to=<(${address})>)?, relay=(?:none|([^\\s,[]+)\\[[^\\]\\s]*\\](?::\\d+)?|[^\\s,]+), (?:conn_use=\\d+, )?delay=[0-9.]+, delays=[0-9./]+, dsn=[0-9.]+, status=(sent|deferred|bounced) \\((.*?)\\)?$`,
  's',
)

type Reader = (text: string, by: string, service: string | undefined) => Found | undefined
type Without<E> = E extends unknown ? Omit<E, 'at' | 'id'> : never
type Found = Without<LogEvent>

/** Only where no login is asked for: otherwise it is not clear whose it is. */
const readReject: Reader = (text, _, service) => {
  const [, from_, answer, from, to] = refused.exec(text) ?? []
  return from_ === undefined || service !== undefined
    ? undefined
    : { kind: 'reject', client: from_, answer: answer!, from: from!, to: to! }
}

const queuedAs = new RegExp(`queued as (${queueId})$`)

/** The agent has forwarded mail queued again: what became of it is in the lines of the new id. */
const readForward: Reader = (text, program) => {
  const found = readDelivery(text, program, undefined)
  if (found?.kind !== 'delivery' || found.status !== 'sent') return found
  const [, next] = queuedAs.exec(found.answer) ?? []
  return next === undefined ? found : { kind: 'returned', to: found.to, original: found.original ?? found.to, next }
}

const readClient: Reader = (text, _, service) => {
  const [, ip, login] = client.exec(text) ?? []
  if (ip === undefined) return undefined
  return { kind: 'client', client: ip, ...(login !== undefined && service !== undefined && { login }) }
}

const readProgram: Reader = (text) => {
  const found = uid.exec(text)
  return found ? { kind: 'program', uid: Number(found[1]) } : undefined
}

const readActive: Reader = (text) => {
  const [, from, size] = active.exec(text) ?? []
  if (from !== undefined) return { kind: 'active', from, size: Number(size) }
  if (text === 'removed') return { kind: 'removed', byHand: false }
  return expired.test(text) ? { kind: 'expired' } : undefined
}

const readScore: Reader = (text) => {
  const found = score.exec(text)
  return found ? { kind: 'score', score: Number(found[1]) } : undefined
}

const readDelivery: Reader = (text, program) => {
  const [, to, original, remoteHost, status, answer] = delivery.exec(text) ?? []
  if (to === undefined) return undefined
  return {
    ...{ kind: 'delivery', program, to, status: status as Delivery['status'], answer: answer! },
    ...(original !== undefined && { original }),
    ...(remoteHost !== undefined && program === 'smtp' && { remoteHost }),
  }
}

/** By Postfix's program: others say nothing about messages. */
const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['smtpd', (...line) => readClient(...line) ?? readReject(...line)],
  ['pickup', readProgram],
  ['cleanup', (...line) => readScore(...line) ?? readReject(...line)],
  ['qmgr', readActive],
  ['postsuper', (text) => (text === 'removed' ? { kind: 'removed', byHand: true } : undefined)],
  ...['smtp', 'lmtp', 'error', 'discard', 'virtual', 'local'].map((name): [string, Reader] => [name, readDelivery]),
])

/** Forwarded mail returns through a service whose client is the agent, so its other lines say nothing of a sender. */
const readerOf = (program: string, service: string | undefined): Reader | undefined =>
  service === 'forward' ? (program === 'lmtp' ? readForward : undefined) : readers.get(program)

/** Reads a line; undefined if it is about no message, or not as Postfix writes it. */
export function eventIn(line: string, now: number): LogEvent | undefined {
  const [, iso, month, day, hours, minutes, seconds, service, program, id, text] = head.exec(line) ?? []
  if (text === undefined) return undefined
  const found = readerOf(program!, service)?.(text, program!, service)
  const at = found && mailTimeOf([iso, month, day, hours, minutes, seconds], now)
  if (at === undefined || !Number.isSafeInteger(at) || at < 0) return undefined
  return id === NO_QUEUE && found!.kind !== 'reject' ? undefined : ({ ...found, at, id } as LogEvent)
}
