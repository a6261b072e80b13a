import { fstatSync, lstatSync, type Stats } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Descent } from './descent.ts'
import { passing } from './passing.ts'

/** A directory's size; `atLeast` if not all of it was counted. */
export interface Size {
  readonly bytes: number
  readonly inodes: number
  readonly atLeast: boolean
}

export interface Bounds {
  /** The maximum number of entries to visit, so that measuring any home takes bounded time. */
  readonly maxEntries: number
}

export const defaultBounds: Bounds = { maxEntries: 2_000_000 }

/** Limits on depth and on remembered hard links: without them memory would grow with what a tenant creates. */
const deepest = 100_000
const maxLinked = 50_000
/** The longest time to block the event loop. */
const sliceMs = 4

/** Measures a directory and all below it; symlinks count as themselves, and a file with hard links counts once. */
export async function measure(dir: string, bounds: Bounds = defaultBounds, signal?: AbortSignal): Promise<Size> {
  const walk = new Walk(bounds)
  const descent = Descent.into(dir)
  if (!descent) return walk.size
  try {
    walk.add(fstatSync(descent.fd))
    let until = performance.now() + sliceMs
    while (walk.step(descent)) {
      if (performance.now() < until) continue
      await nextTurn()
      signal?.throwIfAborted()
      until = performance.now() + sliceMs
    }
    return walk.size
  } finally {
    descent.close()
  }
}

/** Visits entries one by one, depth first, and adds them up. */
class Walk {
  readonly #maxEntries: number
  readonly #linked = new Set<number>()
  #bytes = 0
  #inodes = 0
  #atLeast = false

  constructor({ maxEntries }: Bounds) {
    this.#maxEntries = maxEntries
  }

  get size(): Size {
    return { bytes: Math.ceil(this.#bytes), inodes: Math.ceil(this.#inodes), atLeast: this.#atLeast }
  }

  add(stats: Stats): void {
    const share = this.#shareOf(stats)
    this.#bytes += stats.blocks * 512 * share
    this.#inodes += share
  }

  /** Returns whether there is more to do. */
  step(descent: Descent): boolean {
    if (descent.read > this.#maxEntries) return this.#giveUp()
    const name = descent.next()
    if (name !== undefined) this.#look(descent, name)
    else if (descent.isAtTop) return false
    else if (!descent.up()) return this.#giveUp()
    return true
  }

  #look(descent: Descent, name: Buffer): void {
    const stats = passing(() => lstatSync(descent.pathOf(name)))
    if (!stats) return
    this.add(stats)
    if (!stats.isDirectory()) return
    if (descent.depth >= deepest || !descent.down(name)) this.#atLeast = true
  }

  #giveUp(): false {
    this.#atLeast = true
    return false
  }

  /**
   * 1 for a file without other names, or seen for the first time. Beyond the limit of remembered ones, each name counts
   * for its fraction.
   */
  #shareOf(stats: Stats): number {
    if (stats.isDirectory() || stats.nlink < 2) return 1
    if (this.#linked.has(stats.ino)) return 0
    if (this.#linked.size >= maxLinked) return 1 / stats.nlink
    this.#linked.add(stats.ino)
    return 1
  }
}
