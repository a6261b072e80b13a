import { expect, test } from 'vitest'
import { SharedSlots } from '../../src/runtime/shared-slots.ts'

const limits = { inAll: 10, ofOwner: 6, ofAccount: 4, ofCaller: 2 }
const turn = (owner: string, member = owner) => ({ owner, member })

/** Takes slots until there are none left; returns how many. */
function fill(slots: SharedSlots, at: ReturnType<typeof turn> | undefined, name: string): number {
  for (let count = 0; ; count++) if (!slots.enter(`${name} ${count}`, at)) return count
}

test('limits a caller, an account and an owner with all its accounts', () => {
  const slots = new SharedSlots(limits)
  const leave = slots.enter('a', turn('rita', 'alice'))!
  expect(slots.enter('a', turn('rita', 'alice'))).toBeDefined()
  expect(slots.enter('a', turn('rita', 'alice'))).toBeUndefined()
  expect(fill(slots, turn('rita', 'alice'), 'more')).toBe(2)
  expect(fill(slots, turn('rita', 'bob'), 'bobs')).toBe(2)
  leave()
  expect(fill(slots, turn('rita', 'bob'), 'others')).toBe(1)
})

test('keeps a slot for an owner who has none, and counts root by itself', () => {
  const slots = new SharedSlots(limits)
  for (const owner of ['a', 'b', 'c']) fill(slots, turn(owner), owner)
  expect(fill(slots, turn('a'), 'late')).toBe(0)
  expect(fill(slots, turn('z'), 'first')).toBe(1)
  expect(fill(slots, undefined, 'root')).toBe(10)
})
