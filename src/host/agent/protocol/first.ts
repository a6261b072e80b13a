import type { Readable } from 'node:stream'
import { type Frame, MAX_HELLO_BYTES, ProtocolError, parse } from './frames.ts'

const prefix = 4

/** Reads a stream's first frame, and leaves the rest unread. */
export async function readFrame(stream: Readable): Promise<Frame> {
  const length = (await take(stream, prefix)).readUInt32BE()
  if (length === 0 || length > MAX_HELLO_BYTES) throw new ProtocolError('The first frame is not a hello.')
  return parse(await take(stream, length))
}

function take(stream: Readable, size: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tryIt = (): void => {
      const bytes = stream.read(size) as Buffer | null
      if (bytes === null) return
      settle()
      if (bytes.length === size) resolve(bytes)
      else reject(new ProtocolError('The connection ended before the first frame was whole.'))
    }
    const end = (): void => {
      settle()
      reject(new ProtocolError('The connection ended before the first frame.'))
    }
    const settle = (): void => {
      stream.off('readable', tryIt)
      for (const event of ['end', 'close', 'error']) stream.off(event, end)
    }
    stream.on('readable', tryIt)
    for (const event of ['end', 'close', 'error']) stream.once(event, end)
    tryIt()
  })
}
