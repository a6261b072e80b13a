import type { Readable } from 'node:stream'
import { ReadableStream, type ReadableStreamDefaultController } from 'node:stream/web'

/** Chunk by chunk, as they are taken. */
export function webStream(stream: Readable): ReadableStream<Uint8Array> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  const pull = async (to: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const { done, value } = await chunks.next()
    if (done) to.close()
    else to.enqueue(value)
  }
  return new ReadableStream({ pull, cancel: () => void stream.destroy() }, { highWaterMark: 0 })
}
