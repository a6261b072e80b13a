import { cronShortcuts } from '../../shared/cron-shortcuts.ts'
import { invalid } from '../problem.ts'

/** A crontab schedule: the values of each field, and what its form implies. */
export interface Schedule {
  readonly minutes: ReadonlySet<number>
  readonly hours: ReadonlySet<number>
  readonly days: ReadonlySet<number>
  readonly months: ReadonlySet<number>
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>
  /** Whether days and weekdays must both match, since one begins with `*`; otherwise either is enough. */
  readonly both: boolean
  /** Whether it goes by elapsed time, since its minute or hour begins with `*`, and not by wall clock. */
  readonly passing: boolean
}

interface ScheduleField {
  readonly name: string
  readonly least: number
  readonly max: number
  /** Names of the values, from the lowest. */
  readonly names?: readonly string[]
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']

const fields = [
  { name: 'minute', least: 0, max: 59 },
  { name: 'hour', least: 0, max: 23 },
  { name: 'day', least: 1, max: 31 },
  { name: 'month', least: 1, max: 12, names: months },
  { name: 'weekday', least: 0, max: 7, names: weekdays },
] as const satisfies readonly ScheduleField[]

const invalidSchedule = (message: string) => invalid('schedule', message)

/** A schedule as a crontab has it: fields are separated by spaces or tabs. One space is enough. */
export const canonicalSchedule = (text: string): string => wordsOf(text).join(' ')

const wordsOf = (text: string): string[] => text.split(/[ \t\r\n]+/).filter((word) => word !== '')

/** Parses a schedule; 400 `fields.schedule` for what Debian's cron would refuse or never run. */
export function readSchedule(text: string): Schedule {
  const schedule = parsed(inFull(text))
  if (!isEverDue(schedule)) throw invalidSchedule('is never due: no month that it names has such a day')
  return schedule
}

/** As five fields. */
export const inFull = (text: string): string => cronShortcuts.get(text.trim()) ?? text

function parsed(text: string): Schedule {
  if (text.startsWith('@'))
    throw invalidSchedule(`must be one of ${[...cronShortcuts.keys()].join(', ')}, or five fields`)
  const words = wordsOf(text)
  if (words.length > fields.length) throw invalidSchedule(tooManyWords(words))
  if (words.length < fields.length)
    throw invalidSchedule('must be five fields (minute, hour, day, month, weekday), such as */5 * * * *')
  const [minutes, hours, days, months, week] = fields.map((field, at) => valuesOf(words[at]!, field)) as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ]
  const stars = words.map((word) => word.startsWith('*'))
  const weekdays = new Set([...week].map((day) => day % 7))
  return { minutes, hours, days, months, weekdays, both: stars[2]! || stars[4]!, passing: stars[0]! || stars[1]! }
}

/** Often a line of a crontab with its command. */
const tooManyWords = (words: readonly string[]): string =>
  `must be five fields, without the command or user of a crontab's line: is it "${words.slice(0, fields.length).join(' ')}"?`

const valuesOf = (word: string, field: ScheduleField): Set<number> =>
  new Set(word.split(',').flatMap((item) => rangeOf(item, field)))

/** `*`, `5`, `1-5`, `mon-fri`; all but a single value may have a step: `1-30/2`. */
const form = /^(?:(\*)|(\d{1,2}|[a-z]{3})(?:-(\d{1,2}|[a-z]{3}))?)(?:\/(\d{1,2}))?$/i

function rangeOf(item: string, field: ScheduleField): number[] {
  const [matched, star, first, last, step] = form.exec(item) ?? []
  if (matched === undefined || (step !== undefined && !star && last === undefined))
    throw invalidSchedule(`${item || 'an empty item'} is not a ${field.name}, a range or a step`)
  const from = star ? field.least : numberOf(first!, field)
  const to = star ? everyOf(field) : last === undefined ? from : numberOf(last, field)
  const by = Number(step ?? 1)
  if (by === 0) throw invalidSchedule(`${item}: a step must be 1 or more`)
  if (from > to) throw invalidSchedule(`${item}: a range must go upwards`)
  return Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, n) => from + n * by)
}

/** Sunday is both 0 and 7; count it once. */
const everyOf = ({ name, max }: ScheduleField): number => (name === 'weekday' ? 6 : max)

function numberOf(word: string, { name, least, max, names }: ScheduleField): number {
  const at = names?.indexOf(word.toLowerCase()) ?? -1
  const value = at >= 0 ? at + least : /^\d+$/.test(word) ? Number(word) : Number.NaN
  if (!(value >= least && value <= max)) throw invalidSchedule(`${word} is not a ${name}: use ${least} to ${max}`)
  return value
}

const MONTH_LENGTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Over the years every date falls on every weekday, so only a day that no month has never comes. */
function isEverDue({ days, months, both }: Schedule): boolean {
  if (!both) return true
  const first = Math.min(...days)
  return [...months].some((month) => first <= MONTH_LENGTHS[month - 1]!)
}
