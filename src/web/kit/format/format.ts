import { memoize } from '../../../shared/memoize.ts'
import { localeNow } from '../i18n/i18n.ts'

const MAX_CACHED_FORMATS = 1_000

type Write = (value: number) => string

/** Caches formatted values by language: formatting takes a microsecond or more, and lists repeat a few values. */
function remembered(make: (locale: string) => Write): Write {
  const languages = new Map<string, Write>()
  return (value) => memoize(languages, localeNow(), () => remembering(make(localeNow())))(value)
}

function remembering(write: Write): Write {
  const texts = new Map<number, string>()
  return (value) => memoize(texts, value, () => write(value), MAX_CACHED_FORMATS)
}

/** With at most this many decimals. */
const rounded = (maximumFractionDigits: number) =>
  remembered((locale) => {
    const format = new Intl.NumberFormat(locale, { maximumFractionDigits })
    return (value) => format.format(value)
  })

export const count = rounded(3)
const tenths = rounded(1)
const integer = rounded(0)

const units = ['MB', 'GB', 'TB'] as const

/** Megabytes in the most readable unit: 6963 is "6.8 GB". */
export function megabytes(value: number): string {
  let [left, unit] = [value, 0]
  while (left >= 1000 && unit < units.length - 1) [left, unit] = [left / 1024, unit + 1]
  return `${unit === 0 ? integer(left) : tenths(left)} ${units[unit]}`
}

/** A limit as it was typed: never 3000 MB as "2.9 GB". */
export const limitMegabytes = (value: number): string => `${integer(value)} MB`

export const bytes = (value: number): string => {
  if (value < 1000) return `${count(value)} B`
  if (value < 1_000_000) return `${tenths(value / 1024)} kB`
  return megabytes(value / 1024 / 1024)
}

const dayLong = 86_400_000

/** "8 min ago", "in 7 h". */
const withoutPeriods = (text: string): string => text.replace('hr.', 'h').replace('.', '')

const relative = (unit: Intl.RelativeTimeFormatUnit) =>
  remembered((locale) => {
    const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
    const isEnglish = locale.startsWith('en')
    return (value) => (isEnglish ? withoutPeriods(format.format(value, unit)) : format.format(value, unit))
  })

const seconds = [1_000, relative('second')] as const
const steps = [
  [dayLong, relative('day')],
  [3_600_000, relative('hour')],
  [60_000, relative('minute')],
  seconds,
] as const

const oneMonth = 30 * dayLong

/** Recent times relative to now, others as a date. */
export function moment(at: number, now: number): string {
  const distance = at - now
  if (Math.abs(distance) > oneMonth) return day(at)
  const [size, say] = steps.find(([one]) => Math.abs(distance) >= one) ?? seconds
  return say(Math.trunc(distance / size))
}

const dayAt = remembered((locale) => {
  const format = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
  return (number) => format.format(number * dayLong)
})

export const day = (at: number): string => dayAt(Math.floor(Math.min(at, latest) / dayLong))

/** The last moment that a date can be: what tenants or nodes claim may be later, and a list shows it all the same. */
const latest = 8_640_000_000_000_000

export const isoOf = remembering((at) => new Date(Math.min(at, latest)).toISOString())

/** 2026-11-22 10:04:12 UTC. */
export const exact = remembering((at) => `${isoOf(at).slice(0, 10)} ${isoOf(at).slice(11, 19)} UTC`)

/** A duration: "0.4 s", "2 min 5 s". */
export function span(ms: number): string {
  const seconds = Math.round(ms / 1000)
  if (ms < 10_000) return `${tenths(ms / 1000)} s`
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
