import { constants, createReadStream } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'

/** Provides read access to one backup's files. */
export interface BackupReader {
  /** A file's bytes, or a slice of them. */
  read(name: string, slice?: { readonly start: number; readonly length: number }): AsyncIterable<Buffer>
  /** Undefined if the file does not exist; null if only reading it tells. */
  sizeOf(name: string): Promise<number | null | undefined>
}

/** Thousands of databases, each with many definers. */
export const MAX_MANIFEST_BYTES = 16 * 1024 * 1024

const chunk = 256 * 1024
/** Other machines may write to the directory: no link is followed, and no FIFO waits for a writer. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

export const localReader = (directory: string, signal?: AbortSignal): BackupReader => ({
  read: (name, slice) =>
    createReadStream(join(directory, name), {
      flags: flags as unknown as string,
      highWaterMark: chunk,
      ...(slice && { start: slice.start, end: slice.start + slice.length - 1 }),
      ...(signal && { signal }),
    }),
  async sizeOf(name) {
    const found = await lstat(join(directory, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    return found?.isFile() ? found.size : undefined
  },
})
