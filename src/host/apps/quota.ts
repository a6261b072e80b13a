import { setTimeout as pause } from 'node:timers/promises'
import { HostError } from '../contract/error.ts'
import { measure } from '../measure/walk.ts'

const betweenLooks = 1_000

export const overQuota = (): HostError =>
  new HostError('stage', 'The release does not fit in the disk quota of the account.')

/** Runs work that fills a directory, and stops it when it exceeds the limit. */
export async function within<T>(
  path: string,
  room: number | undefined,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const [over, done] = [new AbortController(), new AbortController()]
  const either = AbortSignal.any([over.signal, ...(signal ? [signal] : [])])
  const watching = room === undefined ? Promise.resolve() : watch(path, room, over, done.signal)
  try {
    const answer = await work(either)
    if (room !== undefined && (await measure(path)).bytes > room) throw overQuota()
    return answer
  } catch (error) {
    throw over.signal.aborted ? overQuota() : error
  } finally {
    done.abort()
    await watching
  }
}

async function watch(path: string, room: number, over: AbortController, done: AbortSignal): Promise<void> {
  while (!done.aborted) {
    await pause(betweenLooks, undefined, { signal: done }).catch(() => {})
    const size = done.aborted ? undefined : await measure(path, undefined, done).catch(() => undefined)
    if (size && size.bytes > room) return over.abort()
  }
}
