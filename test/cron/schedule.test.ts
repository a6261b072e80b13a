import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { nextRun } from '../../src/areas/cron/schedule/next.ts'
import type { Problem } from '../../src/contract/problem.ts'
import { readSchedule } from '../../src/contract/schedule/parse.ts'

const model = join(import.meta.dirname, 'model.ts')

/** Where the schedule differs from the minute-by-minute model, in a time zone. */
async function differences(zone: string, schedules: readonly string[], from: string, to: string): Promise<string[]> {
  const args = ['--import', 'tsx', model, JSON.stringify(schedules), from, to]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, TZ: zone } })
  return JSON.parse(stdout)
}

const passing = ['*/5 * * * *', '30 * * * *', '*/40 2 * * *', '@hourly', '17 */3 * * *', '* 2,3 * mar,oct sun']
const onTheWall = ['30 2 * * *', '0,30 1-3 * * *', '0 0 * * *', '59 23 31 * *', '15 0 1 * *', '5,45 1 * * 0', '@weekly']
const dated = ['0 12 13 * fri', '0 12 */2 * mon', '0 12 1,15 * */3', '0 6 29 2 *', '0 6 * jan-mar 1-5/2', '@yearly']

describe('schedule over years, as in Debian cron', { timeout: 60_000 }, () => {
  test.each([
    ['Europe/Berlin', '2024-12-31T22:00Z', '2028-01-02T00:00Z'],
    ['America/New_York', '2025-01-01T00:00Z', '2027-01-02T00:00Z'],
    ['Australia/Lord_Howe', '2025-01-01T00:00Z', '2027-01-02T00:00Z'],
    ['America/Santiago', '2025-01-01T00:00Z', '2027-01-02T00:00Z'],
    ['Asia/Kathmandu', '2025-01-01T00:00Z', '2026-01-02T00:00Z'],
    ['UTC', '2027-12-01T00:00Z', '2028-04-01T00:00Z'],
  ])('computes each due minute of %s', async (zone, from, to) => {
    expect(await differences(zone, [...passing, ...onTheWall, ...dated], from, to)).toEqual([])
  })
})

const next = (schedule: string, after: string): string => {
  const at = new Date(nextRun(readSchedule(schedule), new Date(after).getTime()))
  return `${at.toDateString()} ${at.toTimeString().slice(0, 5)}`
}

describe('next run', () => {
  test.each([
    ['*/5 * * * *', '2026-01-15T12:00:00', 'Thu Jan 15 2026 12:05'],
    ['*/5 * * * *', '2026-01-15T12:04:59.999', 'Thu Jan 15 2026 12:05'],
    ['0 0 31 12 *', '2026-01-15T12:00:00', 'Thu Dec 31 2026 00:00'],
    ['0 0 29 feb *', '2026-01-15T12:00:00', 'Tue Feb 29 2028 00:00'],
    ['0 0 29 2 */7', '2028-03-01T00:00:00', 'Sun Feb 29 2032 00:00'],
    ['0 0 29 2 */7', '2032-03-01T00:00:00', 'Sun Feb 29 2060 00:00'],
    ['0 0 13 * fri', '2026-01-15T12:00:00', 'Fri Jan 16 2026 00:00'],
    ['0 0 */13 * fri', '2026-01-15T12:00:00', 'Fri Feb 27 2026 00:00'],
    ['0 0 * * 7', '2026-01-15T12:00:00', 'Sun Jan 18 2026 00:00'],
    ['0 0 * * 5-7', '2026-01-17T12:00:00', 'Sun Jan 18 2026 00:00'],
    ['0 0 31 2 mon', '2026-01-15T12:00:00', 'Mon Feb 02 2026 00:00'],
    ['@monthly', '2026-12-31T23:59:59', 'Fri Jan 01 2027 00:00'],
  ])('finds the next run of %s after %s', (schedule, after, due) => {
    expect(next(schedule, after)).toBe(due)
  })
})

describe('invalid schedules', () => {
  test.each([
    ['', 'five fields'],
    ['@reboot', '@hourly'],
    ['@Daily', '@hourly'],
    ['* * * *', 'five fields'],
    ['* * * * * *', 'five fields'],
    ['0 0 * * * root', 'five fields'],
    ['60 * * * *', '60'],
    ['* 24 * * *', '24'],
    ['* * 0 * *', '0'],
    ['* * 32 * *', '32'],
    ['* * * 13 *', '13'],
    ['* * * * 8', '8'],
    ['* * * * 0-8', '8'],
    ['*/0 * * * *', 'step'],
    ['5/2 * * * *', '5/2'],
    ['30-10 * * * *', 'upwards'],
    ['* * * dec-jan *', 'upwards'],
    ['1,,2 * * * *', 'empty'],
    ['1, * * * *', 'empty'],
    ['*-5 * * * *', '*-5'],
    ['-1 * * * *', '-1'],
    ['1.5 * * * *', '1.5'],
    ['?  * * * *', '?'],
    ['* * L * *', 'L'],
    ['* * * * 5#2', '5#2'],
    ['* * 15W * *', '15W'],
    ['H * * * *', 'H'],
    ['mon * * * *', 'mon'],
    ['* * * mon *', 'mon'],
    ['* * * january *', 'january'],
    ['1~5 * * * *', '1~5'],
    ['* *\t* *', 'five fields'],
    ['*/5 * * * *\tphp cron.php', 'is it "*/5 * * * *"?'],
    ['0 0 31 2 *', 'never'],
    ['0 0 30 feb *', 'never'],
    ['0 0 31 4,6,9,11 *', 'never'],
    ['0 0 31 2 */2', 'never'],
  ])('refuses %j as a schedule', (schedule, message) => {
    const refused = (() => {
      try {
        return readSchedule(schedule)
      } catch (error) {
        return error
      }
    })() as Problem
    expect(refused).toMatchObject({ code: 'validation', fields: { schedule: expect.stringContaining(message) } })
  })
})
