import { setTimeout as pause } from 'node:timers/promises'
import { HostError } from '../contract/error.ts'
import { measure, type Size } from '../measure/walk.ts'

const betweenLooks = 1_000

export const overQuota = (): HostError =>
  new HostError('stage', 'The release does not fit in the disk quota of the account.')

export const overInodes = (): HostError =>
  new HostError('stage', 'The release has more files and directories than the account may still make.')

/** What a release may take. */
interface Room {
  /** In bytes. */
  readonly room?: number | undefined
  readonly inodes?: number | undefined
}

function excess({ room, inodes }: Room, size: Size): HostError | undefined {
  if (size.bytes > (room ?? size.bytes)) return overQuota()
  return size.inodes > (inodes ?? size.inodes) ? overInodes() : undefined
}

/** Runs work that fills a directory, and stops it when it exceeds the limits. */
export async function within<T>(
  path: string,
  limits: Room,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const [over, done] = [new AbortController(), new AbortController()]
  const either = AbortSignal.any([over.signal, ...(signal ? [signal] : [])])
  const isLimited = limits.room !== undefined || limits.inodes !== undefined
  const watching = isLimited ? watch(path, limits, over, done.signal) : Promise.resolve()
  try {
    const answer = await work(either)
    const error = isLimited ? excess(limits, await measure(path)) : undefined
    if (error) throw error
    return answer
  } catch (error) {
    throw over.signal.aborted ? over.signal.reason : error
  } finally {
    done.abort()
    await watching
  }
}

async function watch(path: string, limits: Room, over: AbortController, done: AbortSignal): Promise<void> {
  while (!done.aborted) {
    await pause(betweenLooks, undefined, { signal: done }).catch(() => {})
    const size = done.aborted ? undefined : await measure(path, undefined, done).catch(() => undefined)
    const error = size && excess(limits, size)
    if (error) return over.abort(error)
  }
}
