import { localeNow } from './text.ts'

const numbers = new Map<string, Intl.NumberFormat>()

function formatter(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${localeNow()} ${JSON.stringify(options)}`
  const known = numbers.get(key) ?? new Intl.NumberFormat(localeNow(), options)
  numbers.set(key, known)
  return known
}

export const count = (value: number): string => formatter({}).format(value)

const units = ['MB', 'GB', 'TB'] as const

/** Megabytes in the unit that reads best: 6963 is "6.8 GB". */
export function megabytes(value: number): string {
  let [left, unit] = [value, 0]
  while (left >= 1000 && unit < units.length - 1) [left, unit] = [left / 1024, unit + 1]
  return `${formatter({ maximumFractionDigits: unit === 0 ? 0 : 1 }).format(left)} ${units[unit]}`
}

export const bytes = (value: number): string => {
  if (value < 1000) return `${count(value)} B`
  if (value < 1_000_000) return `${formatter({ maximumFractionDigits: 1 }).format(value / 1024)} kB`
  return megabytes(value / 1024 / 1024)
}

const steps: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
]

const relatives = new Map<string, Intl.RelativeTimeFormat>()

function relative(): Intl.RelativeTimeFormat {
  const known =
    relatives.get(localeNow()) ?? new Intl.RelativeTimeFormat(localeNow(), { numeric: 'auto', style: 'short' })
  relatives.set(localeNow(), known)
  return known
}

const oneMonth = 30 * 86_400_000

/** Near times from now, others as a day. */
export function moment(at: number, now: number): string {
  const away = at - now
  if (Math.abs(away) > oneMonth) return day(at)
  const [unit, size] = steps.find(([, one]) => Math.abs(away) >= one) ?? (['second', 1_000] as const)
  return relative().format(Math.trunc(away / size), unit)
}

const days = new Map<string, Intl.DateTimeFormat>()

export function day(at: number): string {
  const known =
    days.get(localeNow()) ??
    new Intl.DateTimeFormat(localeNow(), { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
  days.set(localeNow(), known)
  return known.format(at)
}

/** 2026-11-22 10:04:12 UTC. */
export const exact = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`
