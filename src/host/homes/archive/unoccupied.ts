import type { BigIntStats } from 'node:fs'

/** Read, packed or copied in a few minutes. */
const MAX_UNOCCUPIED_BYTES = 64n * 1024n ** 3n
/** Inodes that are remembered; beyond, each file with several names counts as one that was read before. */
const MAX_INODES = 1_000_000
const BLOCK_BYTES = 512n

/**
 * Counts the bytes of files that take no disk space, so that no quota bounds them: holes, and the content of a file under
 * its further names. They take as long to read as others. (Node.js cannot ask where holes are.)
 */
export class Unoccupied {
  #bytes = 0n
  readonly #inodes = new Set<bigint>()

  /** Counts a file; false, without counting it, if it would be too much. */
  take(stats: BigIntStats): boolean {
    const bytes = this.#of(stats)
    if (this.#bytes + bytes > MAX_UNOCCUPIED_BYTES) return false
    this.#bytes += bytes
    return true
  }

  #of({ size, blocks, nlink, ino }: BigIntStats): bigint {
    if (nlink > 1n && (this.#inodes.has(ino) || this.#inodes.size >= MAX_INODES)) return size
    if (nlink > 1n) this.#inodes.add(ino)
    const holes = size - blocks * BLOCK_BYTES
    return holes > 0n ? holes : 0n
  }
}
