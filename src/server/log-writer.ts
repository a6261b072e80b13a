import { write, writeSync } from 'node:fs'

/** Flushes at this size, when the first line is so many milliseconds old, or at a warning. */
const batchBytes = 8192
const batchMs = 200
const urgent = 40
/** Buffers up to this much for a slow reader; further lines are dropped, and the server goes on. */
const maxUnwritten = 1024 * 1024
const retryMs = 100
/** How often the exit waits for a slow reader. */
const lastTries = 10

const isBusy = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EAGAIN'

/** Tells the logger to pass each line's level. */
const metadata: unique symbol = Symbol.for('pino.metadata')

/** Blocks without the event loop. */
const sleep = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/**
 * Writes lines to a file descriptor in batches, off the event loop. The rest is flushed when the process exits, other
 * than by SIGKILL; a reader that is gone or stuck does not delay the exit for long.
 */
export class LogLines {
  readonly [metadata] = true
  lastLevel = 0
  readonly #fd: number
  #waiting: string[] = []
  #left: Buffer | undefined
  #bytes = 0
  #writing = false
  #slow = false
  #timer: NodeJS.Timeout | undefined

  constructor(fd: number) {
    this.#fd = fd
    process.once('exit', () => this.flushSync())
  }

  write(line: string): void {
    if (this.#bytes + line.length > maxUnwritten) return
    this.#waiting.push(line)
    this.#bytes += line.length
    this.#next(this.lastLevel >= urgent)
  }

  flushSync(): void {
    // A thread may still be writing; do not write the same lines again.
    if (this.#writing) sleep(retryMs)
    let left = this.#take()
    for (let tries = 0; left.length > 0 && tries < lastTries; ) {
      try {
        left = left.subarray(writeSync(this.#fd, left))
      } catch (error) {
        if (!isBusy(error)) return
        tries++
        sleep(retryMs)
      }
    }
  }

  /** Writes a full batch now, and the rest later. */
  #next(now = false): void {
    if (this.#writing || this.#slow || this.#bytes === 0) return
    if (now || this.#bytes >= batchBytes) return this.#send(this.#take())
    this.#timer ??= setTimeout(() => this.#send(this.#take()), batchMs).unref()
  }

  #take(): Buffer {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const lines = Buffer.from(this.#waiting.join(''))
    const batch = this.#left ? Buffer.concat([this.#left, lines]) : lines
    this.#waiting = []
    this.#left = undefined
    this.#bytes = 0
    return batch
  }

  #send(batch: Buffer): void {
    this.#writing = true
    this.#slow = false
    write(this.#fd, batch, (error, written) => {
      this.#writing = false
      const left = batch.subarray(error ? 0 : written)
      if (error && !isBusy(error)) return this.#next()
      if (left.length > 0) this.#putBack(left)
      else this.#next()
    })
  }

  /** The reader was too slow; retry after a pause. */
  #putBack(left: Buffer): void {
    this.#left = left
    this.#bytes += left.length
    this.#slow = true
    this.#timer = setTimeout(() => this.#send(this.#take()), retryMs).unref()
  }
}
