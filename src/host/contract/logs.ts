import type { AccountName } from './account.ts'
import type { LogPlace } from './files.ts'

/** The server-wide logs to count traffic from. */
export const trafficLogs = ['web', 'ftp', 'mail'] as const
export type TrafficLog = (typeof trafficLogs)[number]

/** The maximum to read at once, and the days whose lines count; days are UTC, `2031-12-31`. */
interface LogRange {
  readonly first: string
  readonly last: string
  /** Roughly the maximum of bytes to read, of all logs together. */
  readonly maxBytes: number
}

export interface TrafficRequest extends LogRange {
  readonly log: TrafficLog
  readonly since?: LogPlace | undefined
}

/** The bytes that one account, login or domain transferred on a day. */
export interface Transfer {
  readonly day: string
  /** For the web the username, for FTP the login, for mail the domain. */
  readonly name: string
  readonly received: number
  readonly sent: number
}

/** The position that a log was read to, and whether there is more. */
export interface ReadTo {
  readonly next: LogPlace
  readonly more: boolean
}

export interface Traffic extends ReadTo {
  readonly transfers: readonly Transfer[]
}

/** The access log of a site. */
export interface SiteLog {
  readonly account: AccountName
  /** The name of the site's files. */
  readonly file: string
  readonly since?: LogPlace | undefined
}

export interface VisitsRequest extends LogRange {
  readonly sites: readonly SiteLog[]
  /** Salts that anonymize each day's visitors; without one, a day's visitors are not counted. */
  readonly salts: readonly { readonly day: string; readonly salt: string }[]
}

/** Per ranking, day and read. */
export const MAX_RANKED = 500
/** In characters, of a path or referrer; longer ones are cut. */
export const MAX_RANKED_LENGTH = 255

/** The top values with their request counts. */
export type Ranking = readonly (readonly [value: string, requests: number])[]

export interface VisitDay {
  readonly day: string
  readonly requests: number
  readonly bytes: number
  readonly bots: number
  /** Salted hashes, without duplicates. */
  readonly visitors: readonly string[]
  readonly paths: Ranking
  readonly referrers: Ranking
  readonly statuses: Ranking
}

export interface Visits extends ReadTo {
  readonly days: readonly VisitDay[]
}

export interface RotateRequest {
  /** The day that the current content belongs to. */
  readonly day: string
  /** Logs of earlier days are removed. */
  readonly keepFrom: string
}

/** The daemons' logs of all accounts. Results include the position to continue from: the host remembers nothing. */
export interface HostLogs {
  traffic(order: TrafficRequest): Promise<Traffic>
  /** In the order of the sites. */
  visits(order: VisitsRequest): Promise<readonly Visits[]>
  /** Starts new logs, compresses those of earlier days except the last, and removes the oldest. */
  rotate(order: RotateRequest, options?: { readonly signal?: AbortSignal }): Promise<void>
}
