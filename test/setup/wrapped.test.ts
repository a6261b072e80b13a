import { expect, test } from 'vitest'
import { wrapped } from '../../src/host/setup/wrapped.ts'

test('a long list is wrapped to the width of the terminal, with whole words', () => {
  const words = Array.from({ length: 40 }, (_, n) => `package-${n}`)
  const lines = wrapped([...words, 'x'.repeat(100)])
  expect(lines.join(' ').split(' ')).toEqual([...words, 'x'.repeat(100)])
  expect(lines.slice(0, -1).every((line) => line.length <= 78)).toBe(true)
  expect(lines.slice(0, -2).every((line) => line.length > 60)).toBe(true)
  expect(wrapped([])).toEqual([])
})
