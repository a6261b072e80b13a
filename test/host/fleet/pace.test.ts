import { expect, test } from 'vitest'
import { Link } from '../../../src/host/agent/client/link.ts'
import type { Channel } from '../../../src/host/agent/client/transport.ts'
import { connected } from '../../socket-pair.ts'
import { hello } from '../agent/peer.ts'

const kilobytes = 1024

function linkBy(channel: Partial<Channel>): Link {
  const [stream] = connected()
  const ended = new Promise<string>((resolve) => stream.once('close', () => resolve('gone')))
  const bulk = () => Promise.reject(new Error('no bulk'))
  return new Link(
    { stream, ended, bulk, kill: () => void stream.destroy(), ...channel },
    { ...hello, type: 'hello' },
    () => () => {},
  )
}

/** How much of a stream of 2 MiB passes before each pause. */
function passed(link: Link): number[] {
  const [pace, steps] = [link.pace(), [0]]
  for (let chunk = 0; chunk < 128; chunk++) {
    steps.push(steps.pop()! + 16)
    if (pace.pass(16 * kilobytes)) steps.push(0)
  }
  return steps
}

test('a stream of a node pauses after each fixed amount, and one of this machine does not', () => {
  expect(passed(linkBy({ isShared: true }))).toEqual([...Array(8).fill(256), 0])
  expect(passed(linkBy({}))).toEqual([2048])
})

test('a paused stream resumes on its own', async () => {
  const pace = linkBy({ isShared: true }).pace()
  await pace.pass(256 * kilobytes)
  expect(pace.pass(1)).toBeUndefined()
})

test("buffers used by a node's stream are freed long before memory is full", async () => {
  const pace = linkBy({ isShared: true }).pace()
  const inUse = (): number => process.memoryUsage().arrayBuffers
  const before = inUse()
  let max = 0
  for (let megabytes = 0; megabytes < 256; megabytes++) {
    await pace.pass(Buffer.alloc(1024 * kilobytes).length)
    max = Math.max(max, inUse() - before)
  }
  expect(max).toBeLessThan(20 * 1024 * kilobytes)
})
