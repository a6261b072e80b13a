import { expect, test } from 'vitest'
import { enqueue } from '../../src/runtime/jobs/queue.ts'
import type { StoreFailPoint } from '../../src/store/fail-points.ts'
import { startPanel, type TestPanel } from '../harness.ts'
import { timedWork } from '../working.ts'

/** A panel that counts its commits, with a number of jobs queued in one of them. */
async function withJobs(count: number, run: () => Promise<undefined>) {
  timedWork()
  let commits = 0
  const onStoreFailPoint: StoreFailPoint = (point) => {
    if (point === 'before-commit') commits++
  }
  const panel: TestPanel = await startPanel({ onStoreFailPoint })
  const { runtime } = panel.panel
  ;(runtime.kinds as Map<string, object>).set('test.short', { kind: 'test.short', run })
  const root = { type: 'root', id: runtime.id(), name: 'root', via: 'cli' } as const
  commits = 0
  await panel.store.change(() => {
    for (let job = 0; job < count; job++) enqueue(runtime, { kind: 'test.short' }, root, 'a test')
  })
  await panel.settle()
  return { panel, commits }
}

test('jobs that end together share one commit, which also starts the next ones', async () => {
  const { panel, commits } = await withJobs(40, () => Promise.resolve(undefined))
  expect(panel.jobs()).toEqual(Array(40).fill('test.short succeeded'))
  // One for all that were queued, one for the first eight to start, one for each eight that end.
  expect(commits).toBe(1 + 1 + 5)
})

test('jobs that end one by one take a commit each', async () => {
  let turn = Promise.resolve()
  const inTurn = (): Promise<undefined> => {
    const mine = turn.then(async () => {
      for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve))
      return undefined
    })
    turn = mine.then(() => undefined)
    return mine
  }
  const { panel, commits } = await withJobs(20, inTurn)
  expect(panel.jobs()).toEqual(Array(20).fill('test.short succeeded'))
  expect(commits).toBe(1 + 1 + 20)
})
