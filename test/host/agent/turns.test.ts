import { expect, test } from 'vitest'
import { overtaken, type Turn, Turns } from '../../../src/host/agent/service/turns.ts'
import { FakeClock, turns as passTurns } from '../../clock.ts'

/** Changes of one account, by the names in `done`. */
function world() {
  const clock = new FakeClock()
  const changes = new Turns((ms, act) => clock.after(ms, act))
  const done: string[] = []
  const run = (name: string, turn: Partial<Turn> & Pick<Turn, 'effect'>, work: Promise<void> = Promise.resolve()) => {
    const endWork = async () => void done.push(`${name} ends all`)
    const full = { order: { epoch: 1, generation: 1 }, signal: new AbortController().signal, endWork, ...turn }
    return changes.run('ann', full, async (signal) => {
      done.push(name)
      await work
      return signal.aborted ? 'aborted' : 'done'
    })
  }
  return { clock, done, run }
}

const forever = new Promise<void>(() => {})

test('changes of an account run one at a time, in order', async () => {
  const { done, run } = world()
  expect(await Promise.all([run('a', { effect: 'active' }), run('b', { effect: 'active' })])).toEqual(['done', 'done'])
  expect(done).toEqual(['a', 'b'])
})

test('a suspension ends all, aborts what runs, and waits 10 seconds for it', async () => {
  const { clock, done, run } = world()
  const hung = run('hung', { effect: 'active' }, forever)
  const queued = run('queued', { effect: 'active' })
  await passTurns()
  const suspension = run('suspension', { effect: 'suspended' })
  const later = run('later', { effect: 'active' })
  expect(await Promise.all([hung, queued])).toEqual([overtaken, overtaken])
  await clock.advance(9_999)
  expect(done).toEqual(['hung', 'suspension ends all'])
  await clock.advance(1)
  expect(await Promise.all([suspension, later])).toEqual(['done', 'done'])
  expect(done).toEqual(['hung', 'suspension ends all', 'suspension', 'later'])
})

test('it goes ahead although not everything could be ended', async () => {
  const { clock, done, run } = world()
  run('hung', { effect: 'active' }, forever)
  await passTurns()
  const suspension = run('suspension', { effect: 'suspended', endWork: () => forever })
  await clock.advance(10_000)
  expect(await suspension).toBe('done')
  expect(done).toEqual(['hung', 'suspension'])
})

test.each([
  ['a suspension another', { effect: 'suspended' }, { effect: 'suspended' }],
  ['an apply a suspension', { effect: 'suspended' }, { effect: 'active' }],
  ['a suspension a removal', { effect: 'removed' }, { effect: 'suspended' }],
  [
    'an older suspension a newer apply',
    { effect: 'active', order: { epoch: 1, generation: 2 } },
    { effect: 'suspended' },
  ],
] as const)('%s does not overtake', async (_what, first, second) => {
  const { clock, done, run } = world()
  let release = (): void => {}
  const inUse = new Promise<void>((resolve) => {
    release = resolve
  })
  const one = run('first', first, inUse)
  await passTurns()
  const other = run('second', second)
  await clock.advance(60_000)
  expect(done).toEqual(['first'])
  release()
  expect(await Promise.all([one, other])).toEqual(['done', 'done'])
})

test('a removal overtakes a suspension, and a cancelled change that has not ended', async () => {
  const { clock, done, run } = world()
  const cancel = new AbortController()
  const hung = run('hung', { effect: 'suspended', signal: cancel.signal }, forever)
  await passTurns()
  cancel.abort()
  const removal = run('removal', { effect: 'removed' })
  expect(await hung).toBe(overtaken)
  await clock.advance(10_000)
  expect(await removal).toBe('done')
  expect(done).toEqual(['hung', 'removal ends all', 'removal'])
})
