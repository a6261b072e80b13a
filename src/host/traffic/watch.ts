import { statfs } from 'node:fs/promises'

const LOOK_INTERVAL_MS = 1_000
const MAX_SWEEP_INTERVAL_MS = 60_000
/** Bytes written to the file system after which it is swept before the minute is over. */
const MAX_UNSWEPT_BYTES = 64 * 1024 * 1024

export interface Watched {
  /** A path on the file system. */
  readonly path: string
  readonly sweep: () => Promise<void>
  readonly now?: () => number
  readonly freeBytes?: (path: string) => Promise<number>
}

const freeBytesOf = async (path: string): Promise<number> => {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

/** Returns a function that sweeps if a minute has passed, or much was written: what fills the disk shows there first. */
export function sweeper({ path, sweep, now = Date.now, freeBytes = freeBytesOf }: Watched): () => Promise<void> {
  let free = Number.POSITIVE_INFINITY
  let swept = Number.NEGATIVE_INFINITY
  let inProgress = false
  return async () => {
    if (inProgress) return
    inProgress = true
    try {
      const left = await freeBytes(path)
      if (free - left < MAX_UNSWEPT_BYTES && now() - swept < MAX_SWEEP_INTERVAL_MS) {
        free = Math.max(free, left)
        return
      }
      swept = now()
      await sweep()
      free = await freeBytes(path)
    } finally {
      inProgress = false
    }
  }
}

/** Looks each second, until the process ends. */
export function watchSpace(watched: Watched): void {
  const look = sweeper(watched)
  const tick = (): void =>
    void look().catch(({ message }: Error) => console.warn(`${watched.path} was not swept: ${message}`))
  setInterval(tick, LOOK_INTERVAL_MS).unref()
}
