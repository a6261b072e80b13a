import type { Runtime } from '../../runtime/runtime.ts'

/** What an account wrote through the panel since its last measurement. Errs on the high side. */
interface Tally {
  /** False until the first measurement after a start. */
  isKnown: boolean
  written: number
  /** Bytes in flight: announced or received. */
  coming: number
  /** Files and directories. */
  made: number
  /** Files in flight. */
  making: number
  measuredAt: number
}

const all = new WeakMap<Runtime, Map<string, Tally>>()

export function tallyOf(runtime: Runtime, account: string): Tally {
  const tallies = all.get(runtime) ?? new Map<string, Tally>()
  all.set(runtime, tallies)
  const known = tallies.get(account) ?? { isKnown: false, written: 0, coming: 0, made: 0, making: 0, measuredAt: 0 }
  tallies.set(account, known)
  return known
}

const MAX_BATCH_SIZE = 60_000

/** Whether measuring again would change nothing. */
export const isFresh = (runtime: Runtime, account: string): boolean => {
  const { isKnown, written, made, measuredAt } = tallyOf(runtime, account)
  return isKnown && written === 0 && made === 0 && runtime.clock.now() - measuredAt < MAX_BATCH_SIZE
}

/** Bytes on their way into a home, counted once announced or received. */
export class Incoming {
  readonly #tally: Tally
  #announced: number
  #come = 0
  #hasEnded = false

  constructor(runtime: Runtime, account: string, announced = 0) {
    this.#tally = tallyOf(runtime, account)
    this.#announced = announced
    this.#tally.coming += announced
    this.#tally.making++
  }

  async *counted(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      this.#come += chunk.length
      this.#announce(this.#come)
      yield chunk
    }
  }

  #announce(size: number): void {
    const more = Math.max(0, size - this.#announced)
    this.#announced += more
    this.#tally.coming += more
  }

  /** Keeps or discards what was received. */
  end({ stays }: { stays: boolean }): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#tally.coming -= this.#announced
    this.#tally.making--
    if (!stays) return
    this.#tally.written += this.#come
    this.#tally.made++
  }
}
