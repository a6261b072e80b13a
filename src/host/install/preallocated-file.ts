import { closeSync, constants, fdatasync, openSync, readFileSync, writeSync } from 'node:fs'
import { promisify } from 'node:util'

const flushData = promisify(fdatasync)
const room = Buffer.alloc(256 * 1024, '\n')
const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW

/**
 * A file of lines with preallocated space: appending overwrites empty lines, so that a flush syncs data only, without a
 * commit of the file system and everyone else's changes.
 */
export class PreallocatedFile {
  readonly #fd: number
  #size: number
  #end: number

  constructor(path: string) {
    this.#fd = openSync(path, flags, 0o600)
    const content = readFileSync(this.#fd)
    this.#size = content.length
    this.#end = content.toString('latin1').trimEnd().length
  }

  /** Resolves when the text is on disk. */
  async append(text: string): Promise<void> {
    const bytes = Buffer.from(text)
    for (; this.#end + bytes.length > this.#size; this.#size += room.length)
      writeSync(this.#fd, room, 0, room.length, this.#size)
    writeSync(this.#fd, bytes, 0, bytes.length, this.#end)
    this.#end += bytes.length
    await flushData(this.#fd)
  }

  close(): void {
    closeSync(this.#fd)
  }
}
