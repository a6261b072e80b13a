import type { Socket } from 'node:net'
import type { After } from './silence.ts'

const step = 10_000
/** With the step in which it began this is a minute at most. */
const longest = 50_000

/** How far a stream had come whose other end has to take what was written. */
export const untaken = ({ writableNeedDrain, bytesWritten }: Socket): number | undefined =>
  writableNeedDrain ? bytesWritten : undefined

/** How far a stream had come of which this end has to read what came. */
export const unread = ({ readableLength, bytesRead }: Socket): number | undefined =>
  readableLength > 0 ? bytesRead : undefined

/** Ends a stream whose reader takes nothing any more. */
export function endStalled(stream: Socket, after: After, waitingAt: typeof untaken): void {
  let [last, stalled]: [number | undefined, number] = [undefined, 0]
  const look = (): void => {
    const place = waitingAt(stream)
    stalled = place !== undefined && place === last ? stalled + step : 0
    if (stalled >= longest) return void stream.destroy()
    last = place
    cancel = after(step, look)
  }
  let cancel = after(step, look)
  stream.once('close', () => cancel())
}
