import { randomInt } from 'node:crypto'

const FIRST_SLOTS = 2 ** 16
/** Eight bytes each: 32 MiB. */
const MAX_SLOTS = 2 ** 22
const MAX_LOAD = 3 / 4

/**
 * The names of an archive, at eight bytes each: a hash by a random key stands for a name. The first three million are
 * remembered; a further one is new, whatever it is.
 */
export class SeenNames {
  #high = new Uint32Array(FIRST_SLOTS)
  #low = new Uint32Array(FIRST_SLOTS)
  #size = 0
  readonly #keys = [randomInt(2 ** 32), randomInt(2 ** 32)] as const

  /** Whether it is new. */
  add(name: string): boolean {
    const [high, low] = this.#hash(name)
    const slot = this.#slotOf(high, low)
    if (this.#isTaken(slot)) return false
    if (this.#size >= this.#low.length * MAX_LOAD) {
      if (this.#low.length >= MAX_SLOTS) return true
      this.#grow()
      return this.#put(high, low)
    }
    this.#fill(slot, high, low)
    return true
  }

  #hash(name: string): readonly [number, number] {
    let [high, low] = this.#keys as [number, number]
    for (let at = 0; at < name.length; at++) {
      const code = name.charCodeAt(at)
      high = Math.imul(high ^ code, 0x01000193)
      low = Math.imul(low + code, 0x85ebca6b)
      low ^= low >>> 15
    }
    high ^= high >>> 16
    // Zero marks an empty slot.
    return [Math.imul(high, 0x7feb352d) >>> 0, low >>> 0 || 1]
  }

  #slotOf(high: number, low: number): number {
    const mask = this.#low.length - 1
    let slot = (high ^ low) & mask
    while (this.#isTaken(slot) && !(this.#high[slot] === high && this.#low[slot] === low)) slot = (slot + 1) & mask
    return slot
  }

  #isTaken(slot: number): boolean {
    return this.#low[slot] !== 0
  }

  #put(high: number, low: number): true {
    this.#fill(this.#slotOf(high, low), high, low)
    return true
  }

  #fill(slot: number, high: number, low: number): void {
    this.#high[slot] = high
    this.#low[slot] = low
    this.#size++
  }

  #grow(): void {
    const [highs, lows] = [this.#high, this.#low]
    this.#high = new Uint32Array(highs.length * 2)
    this.#low = new Uint32Array(highs.length * 2)
    this.#size = 0
    for (let at = 0; at < lows.length; at++) if (lows[at] !== 0) this.#put(highs[at]!, lows[at]!)
  }
}
