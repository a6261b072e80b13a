import type { Readable } from 'node:stream'
import { ReadableStream, type ReadableStreamDefaultController } from 'node:stream/web'
import { setImmediate } from 'node:timers/promises'

/** Bytes before yielding to other work, however fast they arrive. */
const turn = 128 * 1024

/** Chunk by chunk, on demand. */
export function webStream(stream: Readable): ReadableStream<Uint8Array> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  let passed = 0
  const pull = async (to: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    if (passed >= turn) {
      passed = 0
      await setImmediate()
    }
    const { done, value } = await chunks.next()
    if (done) return to.close()
    passed += value.length
    to.enqueue(value)
  }
  return new ReadableStream({ pull, cancel: () => void stream.destroy() }, { highWaterMark: 0 })
}
