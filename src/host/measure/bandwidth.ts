import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

const chunkBytes = 256 * 1024
const newline = 10

/** The first moment of the month, in ms. */
function monthStart(now: number): number {
  const date = new Date(now)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
}

/** Sums what the web server logged as sent and received, this month, by account. Each line is read once. */
export class BandwidthLog {
  readonly #path: string
  readonly #buffer = Buffer.allocUnsafe(chunkBytes)
  readonly #bytes = new Map<string, number>()
  #since = 0
  #inode = 0
  #offset = 0
  #reading: Promise<void> = Promise.resolve()

  constructor(path: string) {
    this.#path = path
  }

  /** Reads on to the end of the log; then `bytesOf` is up to date. */
  catchUp(now: number): Promise<void> {
    const turn = () => this.#readOn(monthStart(now))
    this.#reading = this.#reading.then(turn, turn)
    return this.#reading
  }

  bytesOf(username: string): number {
    return this.#bytes.get(username) ?? 0
  }

  async #readOn(since: number): Promise<void> {
    if (since !== this.#since) this.#bytes.clear()
    this.#since = since
    const file = await openLog(this.#path)
    if (!file) return
    try {
      await this.#noticeRotation(file)
      while (await this.#readChunk(file));
    } finally {
      await file.close()
    }
  }

  async #noticeRotation(file: FileHandle): Promise<void> {
    const { ino, size } = await file.stat()
    if (ino !== this.#inode || size < this.#offset) this.#offset = 0
    this.#inode = ino
  }

  async #readChunk(file: FileHandle): Promise<boolean> {
    const { bytesRead } = await file.read(this.#buffer, 0, chunkBytes, this.#offset)
    const whole = this.#buffer.subarray(0, bytesRead).lastIndexOf(newline) + 1
    this.#addLines(this.#buffer.toString('latin1', 0, whole))
    // nginx writes no line that fills a chunk.
    this.#offset += whole === 0 && bytesRead === chunkBytes ? bytesRead : whole
    return bytesRead === chunkBytes
  }

  #addLines(text: string): void {
    for (const line of text.split('\n')) this.#addLine(line.split('\t'))
  }

  #addLine([seconds, account, , , received, sent]: string[]): void {
    const bytes = Number(received) + Number(sent)
    if (!account || !(Number(seconds) * 1000 >= this.#since) || !(bytes >= 0)) return
    this.#bytes.set(account, this.bytesOf(account) + bytes)
  }
}

async function openLog(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
