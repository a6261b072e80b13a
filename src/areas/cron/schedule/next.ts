import type { Schedule } from '../../../contract/schedule/parse.ts'
import { day, minute } from '../../../shared/time.ts'

/** A calendar date; months are 1 to 12. */
interface Dated {
  readonly year: number
  readonly month: number
  readonly date: number
}

/** Weekdays of dates repeat after 28 years, or 40 around a year like 2100. */
const farthest = 41 * 366

/** The next due time of a schedule, in this process's time zone. */
export function nextRun(schedule: Schedule, after: number): number {
  const start = new Date(after)
  const first = Date.UTC(start.getFullYear(), start.getMonth(), start.getDate())
  for (let ahead = 0; ahead < farthest; ahead++) {
    const dated = datedOf(first + ahead * day)
    if (!matches(schedule, dated)) continue
    const due = schedule.passing ? inPassing(schedule, dated, after) : onTheWall(schedule, dated, after)
    if (due !== undefined) return due
  }
  throw new Error('A schedule that is never due was kept.')
}

function datedOf(utc: number): Dated {
  const at = new Date(utc)
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, date: at.getUTCDate() }
}

function matches({ days, months, weekdays, both }: Schedule, { year, month, date }: Dated): boolean {
  if (!months.has(month)) return false
  const [byDay, byWeekday] = [days.has(date), weekdays.has(new Date(Date.UTC(year, month - 1, date)).getUTCDay())]
  return both ? byDay && byWeekday : byDay || byWeekday
}

/** By elapsed minutes: a repeated hour counts twice, a skipped one not at all. */
function inPassing({ hours, minutes }: Schedule, dated: Dated, after: number): number | undefined {
  const [from, to] = [startOf(dated), startOf({ ...dated, date: dated.date + 1 })]
  const begin = Math.max(from, Math.floor(after / minute) * minute + minute)
  for (let at = begin; at < to; at += minute) {
    const now = new Date(at)
    if (hours.has(now.getHours()) && minutes.has(now.getMinutes())) return at
  }
  return undefined
}

/** By wall clock, each time once: the first of a repeated one; a skipped one at the moment the clock goes forward. */
function onTheWall({ hours, minutes }: Schedule, dated: Dated, after: number): number | undefined {
  const times = [...hours].flatMap((hour) => [...minutes].map((of) => instantOf(dated, hour, of)))
  return least(times.filter((at) => at > after))
}

const least = (times: readonly number[]): number | undefined =>
  times.length === 0 ? undefined : times.reduce((one, other) => Math.min(one, other))

function instantOf({ year, month, date }: Dated, hour: number, of: number): number {
  const at = new Date(year, month - 1, date, hour, of)
  return at.getHours() === hour && at.getMinutes() === of ? at.getTime() : putForward(at)
}

/** When the clock went forward, shortly before the time that replaces a skipped one. */
function putForward(localTime: Date): number {
  const offset = localTime.getTimezoneOffset()
  let at = Math.floor(localTime.getTime() / minute) * minute
  while (new Date(at - minute).getTimezoneOffset() === offset) at -= minute
  return at
}

/** Some time zones skip midnight. */
const startOf = ({ year, month, date }: Dated): number => instantOf({ year, month, date }, 0, 0)
