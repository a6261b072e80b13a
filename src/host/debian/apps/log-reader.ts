import { open, stat } from 'node:fs/promises'
import type { AppLog } from '../../apps/app-log.ts'

const looksBetween = 4
const MAX_LINE_LENGTH = 65_536

/** Rotates a log that a program writes, and passes on new output as long as it is wanted. */
export class LogReader {
  readonly #log: AppLog
  #output: ((bytes: Buffer) => void) | undefined
  #at = 0
  #looks = 0
  #turn: Promise<void> = Promise.resolve()

  constructor(log: AppLog, output: ((bytes: Buffer) => void) | undefined) {
    this.#log = log
    this.#output = output
  }

  /** For an existing log. */
  static async of(log: AppLog, output: ((bytes: Buffer) => void) | undefined): Promise<LogReader> {
    const reader = new LogReader(log, output)
    await log.look()
    reader.#at = (await stat(log.path)).size
    return reader
  }

  look(): void {
    if (this.#output) this.#turn = this.#turn.then(() => this.#report())
    if (this.#looks++ % looksBetween === 0) void this.#log.look()
  }

  /** Passes on the rest, and stops. */
  async end(): Promise<void> {
    this.#turn = this.#turn.then(() => this.#report())
    await this.#turn
    this.#output = undefined
  }

  async #report(): Promise<void> {
    if (!this.#output) return
    const file = await open(this.#log.path, 'r').catch(() => undefined)
    if (!file) return
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_LINE_LENGTH), 0, MAX_LINE_LENGTH, this.#at)
      this.#at += bytesRead
      if (bytesRead > 0) this.#output(buffer.subarray(0, bytesRead))
    } finally {
      await file.close()
    }
  }
}
