import type { Socket } from 'node:net'
import type { After } from './timeouts.ts'

const step = 10_000
/** Together with the check interval, at most a minute. */
const STALL_TIMEOUT_MS = 50_000

/** The position of a stream whose peer must read what was written. */
export const untaken = ({ writableNeedDrain, bytesWritten }: Socket): number | undefined =>
  writableNeedDrain ? bytesWritten : undefined

/** The position of a stream whose data this end must read. */
export const unread = ({ readableLength, bytesRead }: Socket): number | undefined =>
  readableLength > 0 ? bytesRead : undefined

/** Ends a stream whose reader has stopped reading. */
export function endStalled(stream: Socket, after: After, waitingAt: typeof untaken): void {
  let [last, stalled]: [number | undefined, number] = [undefined, 0]
  const look = (): void => {
    const place = waitingAt(stream)
    stalled = place !== undefined && place === last ? stalled + step : 0
    if (stalled >= STALL_TIMEOUT_MS) return void stream.destroy()
    last = place
    cancel = after(step, look)
  }
  let cancel = after(step, look)
  stream.once('close', () => cancel())
}
