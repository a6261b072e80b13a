import { once } from 'node:events'
import type { Duplex } from 'node:stream'

const prefix = 4
const end = 0
/** Sent in place of a length: the stream was aborted and is incomplete. */
const brokenOff = 0xffff_ffff
/** More than our readers ever pass on at once. */
const MAX_CHUNK_BYTES = 16 * 1024 * 1024

function lengthOf(length: number): Buffer {
  const bytes = Buffer.allocUnsafe(prefix)
  bytes.writeUInt32BE(length)
  return bytes
}

/** Sends a whole stream and marks its end; the channel can then be reused. */
export async function sendChunks(channel: Duplex, bytes: AsyncIterable<Buffer>, over?: AbortSignal): Promise<void> {
  try {
    for await (const chunk of bytes) {
      over?.throwIfAborted()
      if (chunk.length > 0) await send(channel, Buffer.concat([lengthOf(chunk.length), chunk]), over)
    }
  } catch (error) {
    await send(channel, lengthOf(brokenOff), over)
    throw error
  }
  await send(channel, lengthOf(end), over)
}

async function send(channel: Duplex, bytes: Buffer, over: AbortSignal | undefined): Promise<void> {
  if (channel.destroyed) throw new Error('The other end of the channel is gone.')
  if (channel.write(bytes)) return
  const closed = new AbortController()
  const signal = over ? AbortSignal.any([closed.signal, over]) : closed.signal
  try {
    await Promise.race([once(channel, 'drain', { signal }), once(channel, 'close', { signal })])
  } finally {
    closed.abort()
  }
}

/** The other side's bytes, up to its end mark. */
export async function* chunksFrom(channel: Duplex): AsyncGenerator<Buffer> {
  for (;;) {
    const length = (await take(channel, prefix)).readUInt32BE()
    if (length === end) return
    if (length > MAX_CHUNK_BYTES) throw new Error('The stream ended early.')
    yield await take(channel, length)
  }
}

function take(channel: Duplex, size: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      channel.off('readable', look)
      for (const event of ['end', 'close', 'error']) channel.off(event, gone)
    }
    const look = (): void => {
      const bytes = channel.read(size) as Buffer | null
      if (bytes === null) return
      settle()
      if (bytes.length === size) resolve(bytes)
      else reject(new Error('The stream ended early.'))
    }
    const gone = (): void => {
      settle()
      reject(new Error('The stream ended early.'))
    }
    channel.on('readable', look)
    for (const event of ['end', 'close', 'error']) channel.on(event, gone)
    if (channel.destroyed || channel.readableEnded) gone()
    else look()
  })
}
