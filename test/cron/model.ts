import { nextRun } from '../../src/areas/cron/schedule/next.ts'
import { readSchedule, type Schedule } from '../../src/contract/schedule/parse.ts'

const minute = 60_000
const [schedules = '[]', start = '', end = ''] = process.argv.slice(2)
const [from, to] = [Date.parse(start), Date.parse(end)]

/** The wall-clock time of each minute, as if it were UTC. */
const walls = Array.from(
  { length: (to - from) / minute },
  (_, n) => from + n * minute - new Date(from + n * minute).getTimezoneOffset() * minute,
)

function isDue({ minutes, hours, days, months, weekdays, both }: Schedule, wall: number): boolean {
  if (!minutes.has((wall / minute) % 60) || !hours.has(Math.floor(wall / (60 * minute)) % 24)) return false
  const visible = new Date(wall)
  const [day, weekday] = [days.has(visible.getUTCDate()), weekdays.has(visible.getUTCDay())]
  return months.has(visible.getUTCMonth() + 1) && (both ? day && weekday : day || weekday)
}

/**
 * Debian's cron, minute by minute: when the clock jumps forward, what it left out and goes by the wall runs at once;
 * when it is put back, what goes by the wall waits until the clock is where it was.
 */
function* cron(schedule: Schedule): Generator<number> {
  let reached = walls[0]!
  for (let n = 0; n < walls.length; n++) {
    const wall = walls[n]!
    let due = schedule.passing && n > 0 && isDue(schedule, wall)
    for (let visible = reached + minute; !schedule.passing && visible <= wall; visible += minute)
      due ||= isDue(schedule, visible)
    reached = Math.max(reached, wall)
    if (due) yield from + n * minute
  }
}

/** The planner's results, one after the other. */
function* planned(schedule: Schedule): Generator<number> {
  for (let at = nextRun(schedule, from); at < to; at = nextRun(schedule, at)) yield at
}

const iso = (at: number | undefined) => (at === undefined ? 'never' : new Date(at).toISOString())

const differences = (JSON.parse(schedules) as string[]).flatMap((text) => {
  const [model, plan] = [cron, planned].map((each) => [...each(readSchedule(text))]) as [number[], number[]]
  const at = [...model, undefined].findIndex((time, index) => plan[index] !== time)
  return at < 0 ? [] : [`${text}: ${iso(model[at])} and not ${iso(plan[at])}`]
})
process.stdout.write(JSON.stringify(differences))
