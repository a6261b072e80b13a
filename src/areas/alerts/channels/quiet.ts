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

/** When the quiet hours around a time end: looks at each minute, so that a change of summer time moves it. */
function quietUntil(quiet: Quiet, at: number): number {
  let end = at - (at % minute)
  while (isQuiet(quiet, end)) end += minute
  return Math.max(end, at)
}

const DIGEST_TIME = '08:00'

/** The next time that the clock of a zone shows the time of daily digests. */
function nextDigest(timezone: string, at: number): number {
  let next = at - (at % minute) + minute
  while (clockIn(timezone).format(next) !== DIGEST_TIME) next += minute
  return next
}

/** When a channel may be sent what concerns it now. */
export function dueAt({ quiet, urgent, digest }: ChannelRow, severity: string, now: number): number {
  const digested =
    digest === 'now' ? now : digest === 'hourly' ? now - (now % hour) + hour : nextDigest(quiet?.timezone ?? 'UTC', now)
  const passes = !quiet || (urgent && severity === 'error') || !isQuiet(quiet, digested)
  return passes ? digested : quietUntil(quiet, digested)
}
