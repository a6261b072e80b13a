import { expect, test } from 'vitest'
import { Freshness } from '../../src/runtime/metrics/replica.ts'

const progress = (looks: number, read: number, copied: number) => ({ looks, errors: 0, read, copied })

test("a copy's age counts from the last moment when everything was copied", () => {
  const copy = new Freshness(0)
  copy.heard(1_000, progress(1, 100, 0))
  copy.heard(3_000, progress(2, 200, 100))
  expect(copy.age(3_000)).toBe(2)
  copy.heard(5_000, progress(3, 300, 250))
  expect(copy.age(5_000)).toBe(2)
  copy.heard(7_000, progress(4, 300, 300))
  expect(copy.age(7_000)).toBe(0)
})

test('a copy grows older while its replicator is silent, or stops looking or copying', () => {
  const copy = new Freshness(0)
  copy.heard(1_000, progress(1, 100, 100))
  copy.heard(2_000, undefined)
  expect(copy.age(61_000)).toBe(60)
  copy.heard(61_000, progress(1, 100, 100))
  copy.heard(62_000, progress(1, 100, 100))
  expect(copy.age(62_000)).toBe(61)
  copy.heard(63_000, progress(2, 200, 100))
  copy.heard(93_000, progress(15, 900, 100))
  expect(copy.age(93_000)).toBe(92)
})

test('a replicator that starts over is followed from its new start', () => {
  const copy = new Freshness(0)
  copy.heard(1_000, progress(50, 9_000, 8_000))
  copy.heard(2_000, progress(1, 100, 0))
  copy.heard(4_000, progress(2, 150, 100))
  expect(copy.age(4_000)).toBe(2)
})
