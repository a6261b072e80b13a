import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { inSlices, ownTurn, runToEnd, type Steps } from '../../src/runtime/operations/slices.ts'

/** Each look at the clock finds it a millisecond later. */
function withClock(): void {
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => ++now)
  onTestFinished(() => clock.mockRestore())
}

function* counting(name: string, count: number, seen: string[]): Steps<string> {
  for (let at = 0; at < count; at++) {
    seen.push(name)
    yield
  }
  return name
}

test('others have their turn after each slice', async () => {
  withClock()
  const seen: string[] = []
  const done = inSlices('alice', undefined, counting('step', 6, seen))
  for (let turn = 0; turn < 5; turn++) {
    await nextTurn()
    seen.push('other')
  }
  expect(await done).toBe('step')
  expect(seen.filter((one, at) => one !== seen[at - 1])).toEqual([
    'other',
    ...['step', 'other', 'step', 'other', 'step', 'other'],
  ])
  expect(seen.filter((one) => one === 'step')).toHaveLength(6)
})

test('one account has one in progress and one waiting, and accounts take turns', async () => {
  withClock()
  const seen: string[] = []
  const run = (account: string, name: string) =>
    inSlices(account, { owner: account, member: account }, counting(name, 4, seen))
  const work = [run('alice', 'first'), run('alice', 'second'), run('bob', 'third')]
  await expect(run('alice', 'fourth')).rejects.toMatchObject({ code: 'rate-limited', headers: { 'Retry-After': '1' } })
  expect(await Promise.all(work)).toEqual(['first', 'second', 'third'])
  expect(seen.filter((one, at) => one !== seen[at - 1])).toEqual(['first', 'second', 'third'])
  expect(await run('alice', 'fifth')).toBe('fifth')
})

test('begins one piece of work that needs a turn of its own in a turn', async () => {
  const seen: string[] = []
  const work = ['first', 'second', 'third'].map((name) => ownTurn().then(() => seen.push(name)))
  for (let turn = 0; turn < 4; turn++) {
    await nextTurn()
    seen.push('other')
  }
  await Promise.all(work)
  expect(seen).toEqual(['other', 'first', 'other', 'second', 'other', 'third', 'other'])
})

test('frees the slot of work that fails', async () => {
  const failing = () =>
    inSlices(
      'alice',
      undefined,
      // biome-ignore lint/correctness/useYield: it fails at its first step
      (function* (): Steps<never> {
        throw new Error('no')
      })(),
    )
  for (let time = 0; time < 3; time++) await expect(failing()).rejects.toThrow('no')
  expect(runToEnd(counting('now', 3, []))).toBe('now')
})
