import type { AccountName } from './account.ts'
import type { LogPlace } from './files.ts'

/** The logs of all accounts together, by what they say was transferred. */
export const trafficLogs = ['web', 'ftp', 'mail'] as const
export type TrafficLog = (typeof trafficLogs)[number]

/** How far a log is read at once, and for which days its lines count; days are UTC, `2031-12-31`. */
interface Stretch {
  readonly first: string
  readonly last: string
  /** About how many bytes are read, of all logs together. */
  readonly most: number
}

export interface TrafficOrder extends Stretch {
  readonly log: TrafficLog
  readonly since?: LogPlace | undefined
}

/** What one account, login or domain transferred on a day, in bytes. */
export interface Transfer {
  readonly day: string
  /** Of the web the username, of FTP the login, of mail the domain. */
  readonly name: string
  readonly received: number
  readonly sent: number
}

/** How far a log has been read, and whether there is more of it. */
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
  /** What the site's files are called. */
  readonly file: string
  readonly since?: LogPlace | undefined
}

export interface VisitsOrder extends Stretch {
  readonly sites: readonly SiteLog[]
  /** What makes the visitors of each day unknown; of a day without one they are not counted. */
  readonly salts: readonly { readonly day: string; readonly salt: string }[]
}

/** What was asked for most, and how often. */
export type Ranking = readonly (readonly [value: string, requests: number])[]

export interface VisitDay {
  readonly day: string
  readonly requests: number
  readonly bytes: number
  readonly bots: number
  /** Salted hashes, each once. */
  readonly visitors: readonly string[]
  readonly paths: Ranking
  readonly referrers: Ranking
  readonly statuses: Ranking
}

export interface Visits extends ReadTo {
  readonly days: readonly VisitDay[]
}

export interface RotateOrder {
  /** The day that what has been written is of. */
  readonly day: string
  /** Logs of earlier days are removed. */
  readonly keepFrom: string
}

/** What the daemons log of all accounts. What was read is told with the place to go on from: nothing is remembered here. */
export interface HostLogs {
  traffic(order: TrafficOrder): Promise<Traffic>
  /** In the order of the sites. */
  visits(order: VisitsOrder): Promise<readonly Visits[]>
  /** Begins new logs, compresses those of the days before the last, and removes the oldest. */
  rotate(order: RotateOrder, options?: { readonly signal?: AbortSignal }): Promise<void>
}
