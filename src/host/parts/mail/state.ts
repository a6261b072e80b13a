import { MAX_DOMAIN_LENGTH } from '../../../shared/patterns.ts'
import {
  complete,
  either,
  fields,
  listOf,
  objectOf,
  oneOf,
  optional,
  patterns,
  text,
  yesOrNo,
} from '../../contract/fields.ts'
import { type Filter, filter } from './filters.ts'
import { type RelayState, relay } from './relay.ts'

/** The destination of a forwarder that throws its mail away. */
export const DISCARD = 'discard'

/** An auto-reply during an absence. */
export interface Vacation {
  readonly subject: string
  readonly body: string
  /** The number of days before the same sender gets another reply. */
  readonly days: number
  /** The first and the last day, in UTC. */
  readonly from?: string | undefined
  readonly until?: string | undefined
}

export interface Mailbox {
  readonly id: string
  readonly local: string
  /** SHA512-CRYPT. */
  readonly hash: string
  readonly quotaMb?: number | undefined
  readonly perHour?: number | undefined
  readonly noLogin: boolean
  readonly noIncoming: boolean
  readonly noOutgoing: boolean
  /** Moves its mail to the trash; a mailbox that is merely absent keeps its mail. */
  readonly gone: boolean
  readonly vacation?: Vacation | undefined
  readonly filters?: readonly Filter[] | undefined
}

export interface Forwarder {
  readonly local: string
  readonly destinations: readonly string[]
  /** A mailbox with that address gets it, too. */
  readonly keepCopy: boolean
}

export interface DkimKey {
  readonly selector: string
  readonly privatePem: string
  /** In base64. */
  readonly publicKey: string
  readonly signs: boolean
}

export interface MailDomain {
  readonly domain: string
  readonly routing: 'local' | 'remote' | 'backup'
  /** The name is not verified: it receives and sends no mail. */
  readonly unverified?: boolean | undefined
  readonly catchAll?: string | undefined
  readonly dkim: readonly DkimKey[]
  readonly mailboxes: readonly Mailbox[]
  readonly forwarders: readonly Forwarder[]
  /** What takes the mail of its senders; absent: the server's relay, if it has one. */
  readonly relay?: RelayState | undefined
}

export interface MailState {
  readonly spamFilter: boolean
  readonly spamBox: boolean
  readonly spamScore: number
  /** Its programs send no mail. */
  readonly noSubmit?: boolean | undefined
  /** The main one first. */
  readonly domains: readonly MailDomain[]
}

const MAX_FILTERS = 100

const local = /^(?!-)[a-z0-9_'&=~-]+(?:\.[a-z0-9_'&=~-]+)*$/
const day = /^\d{4}-\d{2}-\d{2}$/
const line = /^[^\p{Cc}]{1,200}$/u
/** Lines of text, without control characters other than newline and tab. */
const lines = /^(?:[\n\t]|[^\p{Cc}]){1,10000}$/u
const selector = /^panel[1-9]\d{0,8}$/
const base64 = /^[A-Za-z0-9+/]{1,2000}={0,2}$/
const pem = /^-----BEGIN PRIVATE KEY-----\n(?:[A-Za-z0-9+/=]{1,64}\n)+-----END PRIVATE KEY-----\n$/

const vacation = objectOf<Vacation>(
  {
    subject: text(line, 200),
    body: text(lines, 10_000),
    days: complete(1, 30),
    from: optional(text(day)),
    until: optional(text(day)),
  },
  'an autoresponder',
)

const mailbox = objectOf<Mailbox>(
  {
    id: text(patterns.id),
    local: text(local, 64),
    hash: text(patterns.crypt),
    quotaMb: optional(complete(1, 2 ** 40)),
    perHour: optional(complete(0, 2 ** 40)),
    noLogin: yesOrNo,
    noIncoming: yesOrNo,
    noOutgoing: yesOrNo,
    gone: yesOrNo,
    vacation: optional(vacation),
    filters: optional(listOf(filter, MAX_FILTERS)),
  },
  'a mailbox',
)

const address = text(patterns.email)

/** The full address of a mailbox here. */
export const mailboxAddress = text(new RegExp(`${local.source.slice(0, -1)}@${patterns.domain.source.slice(1)}`))

const destination = either(DISCARD, address)

const forwarder = objectOf<Forwarder>(
  { local: text(local, 64), destinations: listOf(destination, 100), keepCopy: yesOrNo },
  'a forwarder',
)

const key = objectOf<DkimKey>(
  { selector: text(selector), privatePem: text(pem, 4000), publicKey: text(base64, 2000), signs: yesOrNo },
  'a key',
)

const domain = objectOf<MailDomain>(
  {
    domain: text(patterns.domain, MAX_DOMAIN_LENGTH),
    routing: oneOf('local', 'remote', 'backup'),
    unverified: optional(yesOrNo),
    catchAll: optional(address),
    dkim: listOf(key, 1000),
    mailboxes: listOf(mailbox, 1_000_000),
    forwarders: listOf(forwarder, 1_000_000),
    relay: optional(relay),
  },
  'a mail domain',
)

/** Refuses, and never escapes, what could be misinterpreted in a map or a script. */
export const checkMail = fields<MailState>(
  {
    spamFilter: yesOrNo,
    spamBox: yesOrNo,
    spamScore: complete(1, 50),
    noSubmit: optional(yesOrNo),
    domains: listOf(domain, 100_000),
  },
  'mail',
)
