import fc from 'fast-check'
import { expect, test } from 'vitest'
import { describeSchedule } from '../../src/contract/schedule/describe.ts'
import { canonicalSchedule, readSchedule } from '../../src/contract/schedule/parse.ts'
import { languageFor } from '../../src/web/http/language.ts'
import { inLanguage, t } from '../../src/web/kit/i18n/i18n.ts'
import { runs } from '../fuzz.ts'

/** Lines of `crontab -l`, manual pages and hosting documentation. */
test.each([
  ['*/5\t*\t*\t*\t*', '*/5 * * * *', 'every 5 minutes'],
  ['0 4 * * *\n', '0 4 * * *', 'every day at 4:00'],
  ['  30   2\t* * 1-5 \r\n', '30 2 * * 1-5', 'from Monday to Friday at 2:30'],
  ['@midnight', '@midnight', 'every day at 0:00'],
  ['@annually\n', '@annually', 'on the 1st of January at 0:00'],
  ['@yearly', '@yearly', 'on the 1st of January at 0:00'],
  ['@weekly', '@weekly', 'every Sunday at 0:00'],
  ['5 0 * 8 *', '5 0 * 8 *', 'every day in August at 0:05'],
  ['15 14 1 * *', '15 14 1 * *', 'on the 1st of each month at 14:15'],
  ['23 0-20/2 * * *', '23 0-20/2 * * *', 'on minute 23 in the hours 0, 2, 4, 6, 8, 10, 12, 14, 16, 18 and 20'],
  ['0 9 1 * MON', '0 9 1 * MON', 'on the 1st of each month and every Monday at 9:00'],
  ['0 12 */10 * fri', '0 12 */10 * fri', 'on the 1st, 11th, 21st and 31st of each month if it is a Friday at 12:00'],
  ['*/10 9-17 * * mon-fri', '*/10 9-17 * * mon-fri', 'every 10 minutes in the hours 9 to 17, from Monday to Friday'],
  ['0 6 * * sun,sat', '0 6 * * sun,sat', 'every Saturday and Sunday at 6:00'],
  ['0 */6 * * *', '0 */6 * * *', 'every day at 0:00, 6:00, 12:00 and 18:00'],
  ['0 */2 * * *', '0 */2 * * *', 'every 2 hours'],
])('takes %j as a crontab does', (text, canonical, description) => {
  expect(canonicalSchedule(text)).toBe(canonical)
  expect(describeSchedule(canonical)).toBe(description)
})

const field = (min: number, max: number) =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min, max }).map(String),
    fc.integer({ min: 1, max: 20 }).map((step) => `*/${step}`),
    fc.tuple(fc.integer({ min, max }), fc.integer({ min, max })).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`),
    fc.array(fc.integer({ min, max }), { minLength: 1, maxLength: 5 }).map((values) => values.join(',')),
  )
const blanks = fc.array(fc.constantFrom(' ', '\t'), { minLength: 1, maxLength: 3 }).map((some) => some.join(''))

test('any blanks between fields mean the same, and every schedule can be said in words', () => {
  const fields = [field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 7)] as const
  fc.assert(
    fc.property(fc.tuple(...fields), fc.array(blanks, { minLength: 6, maxLength: 6 }), (words, gaps) => {
      const pasted = words.map((word, at) => `${gaps[at]}${word}`).join('') + gaps[5]
      expect(canonicalSchedule(pasted)).toBe(words.join(' '))
      expect(readSchedule(pasted)).toEqual(readSchedule(words.join(' ')))
      expect(describeSchedule(words.join(' '))).toMatch(/^(?:every|on|from|at) \S.*$/)
    }),
    runs(),
  )
})

test('any other text is refused as a schedule, or is one', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 40 }), (text) => {
      try {
        describeSchedule(canonicalSchedule(text))
      } catch (error) {
        expect(error).toMatchObject({ code: 'validation', fields: { schedule: expect.any(String) } })
      }
    }),
    runs(),
  )
})

test.each([
  ['*/5 * * * *', 'alle 5 Minuten'],
  ['0 3 * * *', 'jeden Tag um 3:00 Uhr'],
  ['0 3 1 * *', 'am 1. jedes Monats um 3:00 Uhr'],
  ['@yearly', 'am 1. Januar um 0:00 Uhr'],
  ['30 2 * * 1-5', 'von Montag bis Freitag um 2:30 Uhr'],
  ['0 6 * * sun,sat', 'jeden Samstag und Sonntag um 6:00 Uhr'],
  ['0 9 1 * MON', 'am 1. jedes Monats und jeden Montag um 9:00 Uhr'],
  ['0 12 */10 * fri', 'am 1., 11., 21. und 31. jedes Monats, wenn es Freitag ist, um 12:00 Uhr'],
  ['*/10 9-17 * 6-8 *', 'alle 10 Minuten in den Stunden 9 bis 17, in den Monaten Juni bis August'],
  ['5 */3 * * *', 'in Minute 5 jeder 3. Stunde'],
])('describes %j in German', (schedule, description) => {
  expect(inLanguage(languageFor('de', undefined), () => describeSchedule(schedule, t))).toBe(description)
})
