import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Provides read access to one backup's files. */
export interface BackupReader {
  /** A file's bytes, or a slice of them. */
  read(name: string, slice?: { readonly start: number; readonly length: number }): AsyncIterable<Buffer>
  /** Undefined if the file does not exist; null if only reading it tells. */
  sizeOf(name: string): Promise<number | null | undefined>
}

const chunk = 256 * 1024

export const localReader = (directory: string, signal?: AbortSignal): BackupReader => ({
  read: (name, slice) =>
    createReadStream(join(directory, name), {
      highWaterMark: chunk,
      ...(slice && { start: slice.start, end: slice.start + slice.length - 1 }),
      ...(signal && { signal }),
    }),
  async sizeOf(name) {
    const found = await stat(join(directory, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    return found?.size
  },
})
