import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Where the files of one backup are read. */
export interface Shelf {
  /** Bytes of a file from a place in it on: so many. */
  read(name: string, start: number, length: number): AsyncIterable<Buffer>
  /** Nothing where there is no such file. */
  sizeOf(name: string): Promise<number | undefined>
}

const chunk = 256 * 1024

export const localShelf = (directory: string): Shelf => ({
  read: (name, start, length) =>
    createReadStream(join(directory, name), { start, end: start + length - 1, highWaterMark: chunk }),
  async sizeOf(name) {
    const found = await stat(join(directory, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    return found?.size
  },
})
