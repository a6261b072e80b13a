import { expect, test } from 'vitest'
import { FakeClock } from '../../clock.ts'
import { dial, fleet, until, webId } from './world.ts'

/** How long a dialer waits before each attempt: none of its other waits is as short. */
class NotedClock extends FakeClock {
  readonly pauses: number[] = []

  override after(ms: number, act: () => void): () => void {
    if (ms <= 2500) this.pauses.push(ms)
    return super.after(ms, act)
  }
}

/** A node that dials, and a function to let it retry once. */
async function dialing() {
  const world = await fleet()
  const root = await world.joined()
  const clock = new NotedClock(world.clock.now())
  const node = await dial({ root, clock })
  const retry = async (): Promise<void> => {
    const { length } = clock.pauses
    await clock.advance(clock.pauses.at(-1)!)
    await until(clock, () => clock.pauses.length > length)
  }
  return { ...world, clock, node, retry }
}

test('a node whose links keep dropping reconnects within a second each time', async () => {
  const { clock, keeper, port } = await dialing()
  for (let count = 1; count <= 5; count++) {
    await until(clock, () => keeper.links.has('web2'))
    port.cut(webId, 'to see it come back')
    await until(clock, () => clock.pauses.length === count)
    await clock.advance(clock.pauses.at(-1)!)
  }
  expect(clock.pauses.slice(0, 5)).toEqual([250, 500, 500, 500, 500])
})

test('a panel that does not answer is retried more often than one that refuses', async () => {
  const { clock, keeper, port, retry } = await dialing()
  await until(clock, () => keeper.links.has('web2'))
  await port.close()
  await until(clock, () => clock.pauses.length === 1)
  for (let tries = 0; tries < 4; tries++) await retry()
  expect(clock.pauses).toEqual([250, 500, 1000, 1000, 1000])
})

test('a panel that refuses is retried less and less often', async () => {
  const { clock, keeper, port, retry } = await dialing()
  await until(clock, () => keeper.links.has('web2'))
  keeper.revoke(webId)
  port.cut(webId, 'Its certificate was revoked.')
  await until(clock, () => clock.pauses.length === 1)
  for (let tries = 0; tries < 5; tries++) await retry()
  expect(clock.pauses).toEqual([250, 500, 1000, 2000, 2500, 2500])
})
