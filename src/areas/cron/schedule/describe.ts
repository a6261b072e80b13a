import { inFull, readSchedule, type Schedule } from './parse.ts'

/** The week begins on Monday, so that a weekend is a range. */
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const months = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]

/** More times than this are given as hours and minutes. */
const MAX_TIMES = 6

/** A schedule in words: `every day at 4:00`. */
export function describeSchedule(text: string): string {
  const schedule = readSchedule(text)
  const [minute = '', hour = ''] = inFull(text).split(' ')
  const time =
    timesOf(schedule) ?? `${minutesOf(minute, schedule)}${hoursOf(hour, schedule)}`.replace(onTheHour, 'every $1 hours')
  const days = daysOf(schedule)
  if (!time.startsWith('at ')) return days === '' ? time : `${time}, ${days}`
  return `${days === '' || days.startsWith('in ') ? `every day${days && ` ${days}`}` : days} ${time}`
}

const onTheHour = /^on the hour of every (\d+)\w\w hour$/

const listOf = (items: readonly (string | number)[]): string =>
  items.length < 2 ? String(items[0]) : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`

const sorted = (values: ReadonlySet<number>): number[] => [...values].sort((a, b) => a - b)

const clock = (hour: number, minute: number): string => `${hour}:${String(minute).padStart(2, '0')}`

/** A few times of day. */
function timesOf({ hours, minutes }: Schedule): string | undefined {
  if (hours.size * minutes.size > MAX_TIMES) return undefined
  return `at ${listOf(sorted(hours).flatMap((hour) => sorted(minutes).map((minute) => clock(hour, minute))))}`
}

/** The step of a field that covers its range. */
const stepOf = (word: string): number | undefined => {
  const [, step] = /^\*\/(\d+)$/.exec(word) ?? []
  return step === undefined || step === '1' ? undefined : Number(step)
}

/** A step that does not divide its range starts again at its beginning, so it is not evenly spaced. */
function minutesOf(word: string, { minutes, hours }: Schedule): string {
  const step = stepOf(word)
  if (minutes.size === 60) return 'every minute'
  if (step !== undefined && 60 % step === 0) return `every ${step} minutes`
  const isHourly = hours.size === 24
  if (minutes.size === 1 && minutes.has(0)) return isHourly ? 'every hour' : 'on the hour'
  const [noun, list] = [minutes.size === 1 ? 'minute' : 'minutes', rangesOf(sorted(minutes))]
  return isHourly ? `every hour at ${noun} ${list}` : `at ${noun} ${list}`.replace(/^at /, 'on ')
}

function hoursOf(word: string, { hours }: Schedule): string {
  if (hours.size === 24) return ''
  const step = stepOf(word)
  if (step !== undefined && 24 % step === 0) return ` of every ${ordinal(step)} hour`
  return ` in ${hours.size === 1 ? 'the hour' : 'the hours'} ${rangesOf(sorted(hours))}`
}

/** Three or more in a row are a range. */
function rangesOf(values: readonly number[], name: (value: number) => string = String): string {
  const runs: number[][] = []
  for (const value of values) {
    const last = runs.at(-1)
    if (last?.at(-1) === value - 1) last.push(value)
    else runs.push([value])
  }
  return listOf(
    runs.flatMap((run) =>
      run.length > 2 ? [`${name(run[0]!)} to ${name(run.at(-1)!)}`] : run.map((one) => name(one)),
    ),
  )
}

function daysOf({ days, weekdays: week, months: some, both }: Schedule): string {
  const [isEveryDate, isEveryWeekday] = [days.size === 31, week.size === 7]
  const isDaily = both ? isEveryDate && isEveryWeekday : isEveryDate || isEveryWeekday
  const dates = `on the ${rangesOf(sorted(days), ordinal)}`
  const named = rangesOf(sorted(some), (month) => months[month - 1]!)
  const inMonths = some.size === 12 ? '' : isDaily || isEveryDate ? `in ${named}` : `of ${named}`
  const ofMonth = inMonths === '' ? ' of each month' : ''
  const onDates = isEveryDate ? '' : `${dates}${ofMonth}`
  const onWeekdays = isEveryWeekday ? '' : weekdaysOf(week)
  const either =
    both && onDates && onWeekdays ? `${onDates} if it is ${onWeekdays.replace(/^(?:every|from) /, 'a ')}` : ''
  const which = isDaily ? '' : either || [onDates, onWeekdays].filter(Boolean).join(' and ')
  return [which, inMonths].filter(Boolean).join(' ')
}

function weekdaysOf(week: ReadonlySet<number>): string {
  const fromMonday = new Set([...week].map((day) => (day + 6) % 7))
  const days = rangesOf(sorted(fromMonday), (day) => weekdays[day]!)
  return days.includes(' to ') ? `from ${days}` : `every ${days}`
}

function ordinal(value: number): string {
  const isTeen = value > 10 && value < 14
  return `${value}${isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th')}`
}
