import { MAX_RANKED_LENGTH } from '../contract/logs.ts'

/** One request, from a web server's log in the combined format. */
export interface Request {
  /** In UTC, `2031-12-31`. */
  readonly day: string
  readonly address: string
  /** Undefined for an invalid request. */
  readonly path: string | undefined
  readonly status: string
  readonly bytes: number
  /** Undefined if the browser sent none. */
  readonly referrer: string | undefined
  readonly agent: string
}

const quoted = '"([^"\\\\]*(?:\\\\.[^"\\\\]*)*)"'
// A user name can contain anything but a quote: the time is what comes right before the first quote.
const line = new RegExp(
  `^([0-9a-fA-F.:]{2,45}) - [^"]* \\[(\\d{2}/[A-Z][a-z]{2}/\\d{4}:\\d{2}:\\d{2}):\\d{2} ([+-]\\d{4})\\] ${quoted} (\\d{3}) (\\d{1,15}) ${quoted} ${quoted}$`,
)

/** Parses a line; undefined if it does not have this format. */
export function requestIn(text: string): Request | undefined {
  const [, address, time, zone, request, status, bytes, referrer, agent] = line.exec(text) ?? []
  const day = address === undefined ? undefined : dayOf(time!, zone!)
  if (day === undefined) return undefined
  return {
    day,
    address: address!,
    path: pathOf(request!),
    status: status!,
    bytes: Number(bytes),
    referrer: referrerOf(referrer!),
    agent: agent!,
  }
}

const readable = (text: string): string => Buffer.from(text, 'latin1').toString('utf8').slice(0, MAX_RANKED_LENGTH)

/** Without the query, which may contain visitors' data. */
function pathOf(request: string): string | undefined {
  const target = /^[A-Z]{1,32} (\/[^ ?#]*)/.exec(request)?.[1]
  return target === undefined ? undefined : readable(target)
}

function referrerOf(referrer: string): string | undefined {
  const [, host, path] = /^https?:\/\/(?:[^/?#@ ]*@)?([A-Za-z0-9.:[\]-]{1,253})(\/[^ ?#]*)?/.exec(referrer) ?? []
  return host === undefined ? undefined : readable(host.toLowerCase() + (path ?? '/'))
}

let lastMinute = ''
let lastDay: string | undefined

/** Cached: lines of the same minute are adjacent. */
function dayOf(time: string, zone: string): string | undefined {
  const minute = time + zone
  if (minute !== lastMinute) lastDay = utcDay(time, zone)
  lastMinute = minute
  return lastDay
}

function utcDay(time: string, zone: string): string | undefined {
  const [, day, month, year, clock] = /^(\d{2})\/(\w{3})\/(\d{4}):(\d{2}:\d{2})$/.exec(time)!
  const at = Date.parse(`${day} ${month} ${year} ${clock} ${zone}`)
  return Number.isNaN(at) ? undefined : new Date(at).toISOString().slice(0, 10)
}
