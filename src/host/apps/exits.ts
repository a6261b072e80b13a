const minute = 60_000
const crashesAt = 5

/** When a process has exited by itself. */
export class Exits {
  /** In a row, without having been healthy for a minute. */
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
