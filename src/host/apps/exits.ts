const minute = 60_000
const crashesAt = 5

/** Counts exits that were not asked for. */
export class Exits {
  /** Consecutive ones, without a healthy minute in between. */
  count = 0
  isCrashed = false
  #times: number[] = []
  #healthySince: number | undefined

  add(now = performance.now()): void {
    if (this.#healthySince !== undefined && now - this.#healthySince > minute) this.forget()
    this.#healthySince = undefined
    this.count++
    this.#times = [...this.#times.filter((time) => now - time < minute), now]
    this.isCrashed ||= this.#times.length >= crashesAt
  }

  healthy(now = performance.now()): void {
    this.#healthySince = now
    this.isCrashed = false
  }

  forget(): void {
    this.count = 0
    this.isCrashed = false
    this.#times = []
    this.#healthySince = undefined
  }
}
