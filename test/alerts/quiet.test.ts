import { expect, onTestFinished, test } from 'vitest'
import { dueAt, isQuiet } from '../../src/areas/alerts/channels/quiet.ts'
import type { ChannelRow, Quiet } from '../../src/areas/alerts/tables.ts'

const minute = 60_000
const hour = 60 * minute

const due = (quiet: Quiet | null, digest: ChannelRow['digest'], now: number): number =>
  dueAt({ quiet, urgent: false, digest } as ChannelRow, 'warn', now)

const clockIn = (timeZone: string, at: number): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(at)

/** By a look at each minute. */
function lookedFor(from: number, isThere: (at: number) => boolean): number {
  let at = from
  while (!isThere(at)) at += minute
  return at
}

/** Days around which summer time begins or ends, by half an hour, an hour and two. */
const changes: [string, string][] = [
  ['Europe/Berlin', '2026-03-29T01:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00Z'],
  ['America/New_York', '2026-11-01T06:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00Z'],
  ['Antarctica/Troll', '2026-03-29T01:00Z'],
  ['Asia/Kathmandu', '2026-05-05T12:00Z'],
]

test.each(changes)(
  'hours and digests end when the clock of %s says so, around %s',
  { timeout: 120_000 },
  (zone, day) => {
    const middle = Date.parse(day)
    const quiets: Quiet[] = [
      { from: '22:00', to: '02:30', timezone: zone },
      { from: '01:15', to: '08:00', timezone: zone },
      { from: '09:00', to: '08:59', timezone: zone },
    ]
    for (let now = middle - 30 * hour; now < middle + 6 * hour; now += 67 * minute + 1234) {
      const full = now - (now % minute)
      for (const quiet of quiets)
        expect(due(quiet, 'now', now)).toBe(
          Math.max(
            now,
            lookedFor(full, (at) => !isQuiet(quiet, at)),
          ),
        )
      const digest = lookedFor(full + minute, (at) => clockIn(zone, at) === '08:00')
      const never: Quiet = { from: '12:00', to: '12:01', timezone: zone }
      expect(due(never, 'daily', now)).toBe(digest)
    }
  },
)

test('neither is found by a look at each minute', () => {
  const { prototype } = Intl.DateTimeFormat
  const format = Object.getOwnPropertyDescriptor(prototype, 'format')!
  let looks = 0
  const get = function (this: Intl.DateTimeFormat): unknown {
    looks++
    return format.get!.call(this)
  }
  Object.defineProperty(prototype, 'format', { ...format, get })
  onTestFinished(() => void Object.defineProperty(prototype, 'format', format))
  due({ from: '08:00', to: '07:59', timezone: 'Europe/Berlin' }, 'daily', Date.parse('2026-01-15T12:00Z'))
  expect(looks).toBeGreaterThan(0)
  expect(looks).toBeLessThan(10)
})
