import { day as oneDay } from '../../../shared/time.ts'
import { siteFile } from '../../parts/web/state.ts'
import { command, isLarge } from '../command.ts'
import { complete, listOf, type Output, object, oneOf, optional, text } from '../fields.ts'
import { MAX_RANKED, MAX_RANKED_LENGTH, trafficLogs } from '../logs.ts'
import * as shape from '../shape.ts'
import { accountName, anyCount, day } from './names.ts'

/** A position in one of a log's files. */
export const placeFields = { file: text(/^\d{1,20}$/), offset: anyCount }
const place = object(placeFields, 'a place')
export type LogPlace = Output<typeof place>

/** The days whose lines count, and roughly the maximum of bytes to read, of all logs together. */
const range = { first: day, last: day, maxBytes: complete(1, 2 ** 30) }
interface Days {
  readonly first: string
  readonly last: string
}

const trafficRequest = object({ ...range, log: oneOf(...trafficLogs), since: optional(place) }, 'traffic')
export type TrafficRequest = Output<typeof trafficRequest>

/** The bytes that one account, login or domain transferred on a day. */
const transfer = shape.fields({
  day: shape.text(10),
  /** For the web the username, for FTP the login, for mail the domain. */
  name: shape.name,
  received: shape.count,
  sent: shape.count,
})
export type Transfer = Output<typeof transfer>

/** The position that a log was read to, and whether there is more. */
const readTo = { next: shape.fields({ file: shape.name, offset: shape.count }), more: shape.flag }
const traffic = shape.fields({ ...readTo, transfers: shape.list(transfer) })
const read = shape.fields(readTo)
export type ReadTo = Output<typeof read>
export type Traffic = Output<typeof traffic>

const MAX_SITES = 1_000
/** The access log of a site; `file` is the name of the site's files. */
const siteLog = object({ account: accountName, file: siteFile, since: optional(place) }, 'a log')
export type SiteLog = Output<typeof siteLog>

const visitsRequest = object(
  {
    ...range,
    sites: listOf(siteLog, MAX_SITES),
    /** Salts that anonymize each day's visitors; without one, a day's visitors are not counted. */
    salts: listOf(object({ day, salt: text(/^[0-9a-f]{32}$/) }, 'a salt'), 100),
  },
  'visits',
)
export type VisitsRequest = Output<typeof visitsRequest>

/** The top values with their request counts. */
const ranking = shape.list(shape.pair(shape.line(MAX_RANKED_LENGTH), shape.count), MAX_RANKED)
export type Ranking = Output<typeof ranking>

const visitDay = shape.fields({
  day: shape.text(10),
  requests: shape.count,
  bytes: shape.count,
  bots: shape.count,
  /** Salted hashes, without duplicates. */
  visitors: shape.list(shape.exactly(/^[0-9a-f]{16}$/)),
  paths: ranking,
  referrers: ranking,
  statuses: ranking,
})
export type VisitDay = Output<typeof visitDay>

const visits = shape.fields({ ...readTo, days: shape.list(visitDay) })
export type Visits = Output<typeof visits>

const rotateRequest = object(
  {
    /** The day that the current content belongs to. */
    day,
    /** Logs of earlier days are removed. */
    keepFrom: day,
  },
  'a rotation',
)
export type RotateRequest = Output<typeof rotateRequest>

/** A day of the calendar that was requested. */
function isDayIn({ first, last }: Days, text: string): boolean {
  const at = first <= text && text <= last && /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}

/** Each requested day once at most. */
const areDaysIn = (days: Days, found: readonly VisitDay[]): boolean =>
  found.length <= (Date.parse(days.last) - Date.parse(days.first)) / oneDay + 1 &&
  found.every(({ day }) => isDayIn(days, day)) &&
  new Set(found.map(({ day }) => day)).size === found.length

/** In the access log's shortest line. */
const MIN_LINE_BYTES = 64
const visitorsIn = (sites: readonly Visits[]): number =>
  sites.reduce((sum, { days }) => sum + days.reduce((visitors, day) => visitors + day.visitors.length, 0), 0)

const noNews = (since: LogPlace | undefined): Visits => ({
  days: [],
  next: since ?? { file: '0', offset: 0 },
  more: false,
})

/** To look at everything of one kind, as nothing waits for it. */
const LOOK_TIMEOUT_MS = 60_000
/** To rename and compress a day's logs. */
const ROTATE_TIMEOUT_MS = 10 * 60_000

/** The daemons' logs of all accounts. Results include the position to continue from: the host remembers nothing. */
export const logCommands = {
  /** The traffic in a server-wide log, from a position on. */
  traffic: command({
    input: trafficRequest,
    result: traffic,
    large: isLarge,
    fits: (days, { transfers }) => transfers.every(({ day }) => isDayIn(days, day)),
  }),
  /** The visits in the sites' access logs, each from its position on, in the order of the sites. */
  visits: command({
    input: visitsRequest,
    result: shape.list(visits),
    route: {
      shares: {
        ms: LOOK_TIMEOUT_MS,
        accounts: ({ sites }) => sites.map(({ account }) => account.id),
        only: (request, items) => ({ ...request, sites: items.map((n) => request.sites[n]!) }),
        merge({ sites }, shares) {
          const all = sites.map(({ since }) => noNews(since))
          for (const { items, result = [] } of shares)
            for (const [n, item] of items.entries()) all[item] = result[n] ?? all[item]!
          return all
        },
      },
    },
    large: isLarge,
    /** Of all sites together, as many visitors as there are lines in what was to be read. */
    fits: ({ sites, maxBytes, ...days }, found) =>
      found.length === sites.length &&
      found.every((site) => areDaysIn(days, site.days)) &&
      visitorsIn(found) <= maxBytes / MIN_LINE_BYTES,
  }),
  /** Starts new logs, compresses those of earlier days except the last, and removes the oldest. */
  rotateLogs: command({
    input: rotateRequest,
    result: shape.none,
    route: { everywhere: { ms: ROTATE_TIMEOUT_MS, merge: () => null } },
  }),
}
