import { getPriority } from 'node:os'
import { expect, test } from 'vitest'
import { giveWay } from '../../src/shared/priority.ts'

test('a process that may not say how urgent it is goes on as it was', () => {
  const before = getPriority()
  giveWay(10, 2 ** 22 + 1)
  expect(getPriority()).toBe(before)
})
