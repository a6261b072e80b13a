import { expect, test } from 'vitest'
import { turns } from '../clock.ts'
import { TestPanel } from '../harness.ts'
import { timedWork } from '../working.ts'

test('a stopping server commits all queued changes, even if that takes many turns', async () => {
  const panel = await new TestPanel({}).start()
  const work = timedWork()
  const done: number[] = []
  for (let change = 0; change < 60; change++) void panel.store.change(() => work(21)).then(() => done.push(change))
  await turns(3)
  expect(done.length).toBeLessThan(60)
  await panel.stop()
  expect(done).toEqual(Array.from({ length: 60 }, (_, change) => change))
})
