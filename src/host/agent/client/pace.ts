import { setTimeout } from 'node:timers/promises'
import { collectYoung } from './young.ts'

/** At least a moment follows so many bytes: some 120 MB a second, of which the processor has half to itself. */
const share = 256 * 1024
const moment = 1
/** Used buffers that may lie about. */
const mostUsed = 8 * 1024 * 1024

/** Bytes of a stream that comes as fast as it can take both ends' processors, and memory; commands beside it would suffer. */
export class Pace {
  readonly #rests: boolean
  #passed = 0
  #used = 0

  constructor(rests: boolean) {
    this.#rests = rests
  }

  /** Notes what has passed; answers what to wait for before more does. */
  pass(bytes: number): Promise<void> | undefined {
    this.#passed += bytes
    if (!this.#rests || this.#passed < share) return undefined
    this.#clear(this.#passed)
    this.#passed = 0
    return setTimeout(moment)
  }

  #clear(bytes: number): void {
    this.#used += bytes
    if (this.#used < mostUsed) return
    this.#used = 0
    collectYoung()
  }
}
