import { invalid } from '../../contract/problem.ts'
import { day as oneDay } from '../../shared/time.ts'

/** The UTC day of a time, `2031-12-31`. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

export const daysBefore = (day: string, count: number): string => dayOf(Date.parse(day) - count * oneDay)

/** An inclusive range of days. */
export interface Days {
  readonly from: string
  readonly to: string
}

interface DayRange {
  readonly from?: string
  readonly to?: string
}

export const RETENTION_DAYS = 400
const DEFAULT_DAYS = 30

/** The requested days, limited in number; 400 for invalid ones. */
export function daysIn({ from, to }: DayRange, now: number, max = RETENTION_DAYS): Days {
  const last = to === undefined ? dayOf(now) : checkedDay('to', to)
  const first = from === undefined ? daysBefore(last, DEFAULT_DAYS - 1) : checkedDay('from', from)
  if (first > last) throw invalid('from', 'must not be after `to`')
  if (first < daysBefore(last, max - 1)) throw invalid('from', `must be at most ${max - 1} days before \`to\``)
  return { from: first, to: last }
}

/** 400 for a date that does not exist. */
export function checkedDay(field: string, day: string): string {
  const at = Date.parse(day)
  if (Number.isNaN(at) || dayOf(at) !== day) throw invalid(field, 'must be a day of the calendar, such as 2031-12-31')
  return day
}

/** Each day from the first with figures to the end of the range, at most today. */
export function eachDay({ to }: Days, [first]: readonly { readonly day: string }[], now: number): string[] {
  const today = dayOf(now)
  const end = to < today ? to : today
  const days: string[] = []
  for (let day = first?.day ?? daysBefore(end, -1); day <= end; day = daysBefore(day, -1)) days.push(day)
  return days
}
