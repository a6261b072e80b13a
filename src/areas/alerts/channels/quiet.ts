import { invalid } from '../../../contract/problem.ts'
import { memoize } from '../../../shared/memoize.ts'
import { hour, minute } from '../../../shared/time.ts'
import type { ChannelRow, Quiet } from '../tables.ts'

const formats = new Map<string, Intl.DateTimeFormat>()
const clockIn = (timeZone: string): Intl.DateTimeFormat =>
  memoize(
    formats,
    timeZone,
    () => new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
  )

/** 400 for an unknown time zone, or hours without end. */
export function refuseQuiet(quiet: Quiet | null | undefined): void {
  if (!quiet) return
  if (quiet.from === quiet.to) throw invalid('quiet.to', 'must differ from the start')
  try {
    clockIn(quiet.timezone)
  } catch {
    throw invalid('quiet.timezone', 'must be a time zone such as Europe/Berlin')
  }
}

/** Whether a time is within the hours: from the start to before the end, over midnight as well. */
export function isQuiet({ from, to, timezone }: Quiet, at: number): boolean {
  const time = clockIn(timezone).format(at)
  return from < to ? from <= time && time < to : from <= time || time < to
}

/** When the quiet hours around a time end. */
function quietUntil(quiet: Quiet, at: number): number {
  const start = at - (at % minute)
  return isQuiet(quiet, start) ? nextTime(quiet.timezone, quiet.to, start, (time) => !isQuiet(quiet, time)) : at
}

const DIGEST_TIME = '08:00'

/** The next time that the clock of a zone shows the time of daily digests. */
const nextDigest = (timezone: string, at: number): number =>
  nextTime(timezone, DIGEST_TIME, at - (at % minute), (time) => clockIn(timezone).format(time) === DIGEST_TIME)

const minutesOf = (clock: string): number => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3))
const DAY_MINUTES = 24 * 60

/**
 * When the clock of a zone shows a time next, after a full minute. It is reckoned: looking at each minute of a day for each
 * channel takes milliseconds. Only where summer time begins or ends on the way, each minute is looked at.
 */
function nextTime(timezone: string, clock: string, from: number, isThere: (time: number) => boolean): number {
  const ahead = minutesOf(clock) - minutesOf(clockIn(timezone).format(from))
  const next = from + (((ahead + DAY_MINUTES - 1) % DAY_MINUTES) + 1) * minute
  if (clockIn(timezone).format(next) === clock) return next
  let time = from + minute
  while (!isThere(time)) time += minute
  return time
}

/** When a channel may be sent what concerns it now. */
export function dueAt({ quiet, urgent, digest }: ChannelRow, severity: string, now: number): number {
  const digested =
    digest === 'now' ? now : digest === 'hourly' ? now - (now % hour) + hour : nextDigest(quiet?.timezone ?? 'UTC', now)
  const passes = !quiet || (urgent && severity === 'error') || !isQuiet(quiet, digested)
  return passes ? digested : quietUntil(quiet, digested)
}
