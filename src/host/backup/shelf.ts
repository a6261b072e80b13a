import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Where the files of one backup are read. */
export interface Shelf {
  /** Bytes of a file: all of them, or so many from a place on. */
  read(name: string, slice?: { readonly start: number; readonly length: number }): AsyncIterable<Buffer>
  /** Nothing if the file does not exist; null where only reading it tells. */
  sizeOf(name: string): Promise<number | null | undefined>
}

const chunk = 256 * 1024

export const localShelf = (directory: string, signal?: AbortSignal): Shelf => ({
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
