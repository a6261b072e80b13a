import { inFull, readSchedule, type Schedule } from './parse.ts'

/** The week begins on Monday, so that a weekend is a range. */
const dayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const monthNames = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]

/** Fills in a text's placeholders, in English or in a translation of it. */
type Say = (text: string, values?: Readonly<Record<string, string | number>>) => string

const inEnglish: Say = (text, values = {}) => text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]))

/** More times than this are given as hours and minutes. */
const MAX_TIMES = 6

/** A schedule in words: `every day at 4:00`. */
export function describeSchedule(text: string, say: Say = inEnglish): string {
  const schedule = readSchedule(text)
  const [minute = '', hour = ''] = inFull(text).split(' ')
  const days = daysOf(schedule, say)
  const times = timesOf(schedule, say)
  if (times !== undefined)
    return [...(isEveryDay(schedule) ? [say('every day')] : []), days, times].filter(Boolean).join(' ')
  const time = everyHours(hour, schedule, say) ?? minutesOf(minute, schedule, say) + hoursOf(hour, schedule, say)
  return days === '' ? time : `${time}, ${days}`
}

const listOf = (items: readonly (string | number)[], say: Say): string =>
  items.length < 2
    ? String(items[0])
    : say('{items} and {last}', { items: items.slice(0, -1).join(', '), last: items.at(-1)! })

const sorted = (values: ReadonlySet<number>): number[] => [...values].sort((a, b) => a - b)

const clock = (hour: number, minute: number): string => `${hour}:${String(minute).padStart(2, '0')}`

/** A few times of day. */
function timesOf({ hours, minutes }: Schedule, say: Say): string | undefined {
  if (hours.size * minutes.size > MAX_TIMES) return undefined
  const times = sorted(hours).flatMap((hour) => sorted(minutes).map((minute) => clock(hour, minute)))
  return say('at {times}', { times: listOf(times, say) })
}

/** The step of a field that covers its range. */
const stepOf = (word: string): number | undefined => {
  const [, step] = /^\*\/(\d+)$/.exec(word) ?? []
  return step === undefined || step === '1' ? undefined : Number(step)
}

const isOnTheHour = ({ minutes }: Schedule): boolean => minutes.size === 1 && minutes.has(0)

/** The step of hours, if they are evenly spaced. */
function evenHours(word: string, { hours }: Schedule): number | undefined {
  const step = stepOf(word)
  return hours.size !== 24 && step !== undefined && 24 % step === 0 ? step : undefined
}

function everyHours(word: string, schedule: Schedule, say: Say): string | undefined {
  const count = evenHours(word, schedule)
  return count !== undefined && isOnTheHour(schedule) ? say('every {count} hours', { count }) : undefined
}

/** A step that does not divide its range starts again at its beginning, so it is not evenly spaced. */
function minutesOf(word: string, schedule: Schedule, say: Say): string {
  const { minutes, hours } = schedule
  const step = stepOf(word)
  if (minutes.size === 60) return say('every minute')
  if (step !== undefined && 60 % step === 0) return say('every {count} minutes', { count: step })
  const isHourly = hours.size === 24
  if (isOnTheHour(schedule)) return say(isHourly ? 'every hour' : 'on the hour')
  const list = rangesOf(sorted(minutes), say)
  if (minutes.size === 1) return say(isHourly ? 'every hour at minute {list}' : 'on minute {list}', { list })
  return say(isHourly ? 'every hour at minutes {list}' : 'on minutes {list}', { list })
}

function hoursOf(word: string, schedule: Schedule, say: Say): string {
  const { hours } = schedule
  if (hours.size === 24) return ''
  const step = evenHours(word, schedule)
  if (step !== undefined) return ` ${say('of every {nth} hour', { nth: ordinal(step, say) })}`
  const list = rangesOf(sorted(hours), say)
  return ` ${say(hours.size === 1 ? 'in the hour {list}' : 'in the hours {list}', { list })}`
}

/** Three or more in a row are a range. */
function rangesOf(values: readonly number[], say: Say, name: (value: number) => string = String): string {
  const runs: number[][] = []
  for (const value of values) {
    const last = runs.at(-1)
    if (last?.at(-1) === value - 1) last.push(value)
    else runs.push([value])
  }
  const isRange = (run: readonly number[]): boolean => run.length > 2
  return listOf(
    runs.flatMap((run) =>
      isRange(run)
        ? [say('{first} to {last}', { first: name(run[0]!), last: name(run.at(-1)!) })]
        : run.map((one) => name(one)),
    ),
    say,
  )
}

const isEveryDate = ({ days }: Schedule): boolean => days.size === 31
const isEveryWeekday = ({ weekdays: week }: Schedule): boolean => week.size === 7

/** On every date of the months that it names. */
const isEveryDay = (schedule: Schedule): boolean =>
  schedule.both ? isEveryDate(schedule) && isEveryWeekday(schedule) : isEveryDate(schedule) || isEveryWeekday(schedule)

function daysOf(schedule: Schedule, say: Say): string {
  const months = namesOf(schedule.months, say)
  if (isEveryDay(schedule)) return inMonths(schedule, say)
  if (isEveryDate(schedule)) return joined(onWeekdays(schedule, say), inMonths(schedule, say))
  const isAlways = schedule.months.size === 12
  const dates = rangesOf(sorted(schedule.days), say, (day) => ordinal(day, say))
  const onDates = isAlways ? say('on the {dates} of each month', { dates }) : say('on the {dates}', { dates })
  if (isEveryWeekday(schedule)) return isAlways ? onDates : say('on the {dates} of {months}', { dates, months })
  return joined(withWeekdays(onDates, schedule, say), isAlways ? '' : say('of {months}', { months }))
}

const joined = (...words: readonly string[]): string => words.filter((word) => word !== '').join(' ')

const withWeekdays = (dates: string, schedule: Schedule, say: Say): string =>
  schedule.both
    ? say('{dates} if it is a {weekday}', { dates, weekday: weekdayNames(schedule, say) })
    : say('{dates} and {weekdays}', { dates, weekdays: onWeekdays(schedule, say) })

function inMonths({ months }: Schedule, say: Say): string {
  if (months.size === 12) return ''
  const list = namesOf(months, say)
  return months.size === 1 ? say('in {month}', { month: list }) : say('in {months}', { months: list })
}

const namesOf = (months: ReadonlySet<number>, say: Say): string =>
  rangesOf(sorted(months), say, (month) => say(monthNames[month - 1]!))

/** The week begins on Monday. */
const fromMonday = ({ weekdays }: Schedule): number[] => sorted(new Set([...weekdays].map((day) => (day + 6) % 7)))

const weekdayNames = (schedule: Schedule, say: Say): string =>
  rangesOf(fromMonday(schedule), say, (day) => say(dayNames[day]!))

function onWeekdays(schedule: Schedule, say: Say): string {
  const list = fromMonday(schedule)
  const isRange = list.some((day, place) => list[place + 2] === day + 2)
  const weekdays = weekdayNames(schedule, say)
  return isRange ? say('from {weekdays}', { weekdays }) : say('every {weekdays}', { weekdays })
}

function ordinal(value: number, say: Say): string {
  const isTeen = value > 10 && value < 14
  const ending = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th')
  return say(`{day}${ending}`, { day: value })
}
