import { getPriority } from 'node:os'
import { expect, test } from 'vitest'
import { lowerPriority } from '../../src/shared/priority.ts'

test('a process that may not lower its priority keeps it', () => {
  const before = getPriority()
  lowerPriority(10, 2 ** 22 + 1)
  expect(getPriority()).toBe(before)
})
