import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { webStream } from '../../src/shared/web-stream.ts'

const chunk = Buffer.alloc(16 * 1024)
const count = 512

/** How much of a stream that never pauses has passed, each time that other work gets a turn. */
async function turnsBeside(stream: ReadableStream<Uint8Array>): Promise<number[]> {
  const passed: number[] = [0]
  let bytes = 0
  const reading = (async () => {
    for await (const part of stream) bytes += part.length
  })()
  while (bytes < count * chunk.length) {
    await setImmediate()
    passed.push(bytes)
  }
  await reading
  return passed
}

test('a continuous stream yields to other work in between', async () => {
  const source = Readable.from(Array.from({ length: count }, () => chunk))
  const passed = await turnsBeside(webStream(source) as ReadableStream<Uint8Array>)
  const steps = passed.slice(1).map((bytes, place) => bytes - passed[place]!)
  expect(Math.max(...steps)).toBeLessThanOrEqual(256 * 1024)
})

test('a reader that goes away ends the stream', async () => {
  const source = Readable.from(Array.from({ length: count }, () => chunk))
  const reader = webStream(source).getReader()
  await reader.read()
  await reader.cancel()
  expect(source.destroyed).toBe(true)
})
