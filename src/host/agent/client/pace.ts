import { setTimeout } from 'node:timers/promises'

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (how: { readonly type: 'minor' }) => void

let collect: Collect | undefined

/** V8 exposes this function only in contexts created while the flag is set. */
function exposed(): Collect {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('gc') as Collect
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
}

/** Frees short-lived buffers: they lie outside V8's heap, which would let 32 MB of them accumulate. */
function collectMinorGarbage(): void {
  collect ??= exposed()
  collect({ type: 'minor' })
}

/** Pause after this many bytes: about 120 MB/s, half of it idle CPU time. */
const share = 256 * 1024
const moment = 1
/** Used buffers allowed before a collection. */
const MAX_BUFFERED_BYTES = 8 * 1024 * 1024

/** Throttles a stream that would otherwise take all CPU and memory of both ends, and starve commands. */
export class Pace {
  readonly #rests: boolean
  #passed = 0
  #used = 0

  constructor(rests: boolean) {
    this.#rests = rests
  }

  /** Counts bytes that have passed; returns what to wait for before the next. */
  pass(bytes: number): Promise<void> | undefined {
    this.#passed += bytes
    if (!this.#rests || this.#passed < share) return undefined
    this.#clear(this.#passed)
    this.#passed = 0
    return setTimeout(moment)
  }

  #clear(bytes: number): void {
    this.#used += bytes
    if (this.#used < MAX_BUFFERED_BYTES) return
    this.#used = 0
    collectMinorGarbage()
  }
}
