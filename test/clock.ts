import type { Clock } from '../src/runtime/clock/clock.ts'

interface Timer {
  at: number
  act: () => void
}

/** A clock that moves only when told, and runs due timers on the way, in order. */
export class FakeClock implements Clock {
  #now: number
  #timers = new Set<Timer>()

  constructor(start = Date.UTC(2026, 0, 15, 12)) {
    this.#now = start
  }

  now(): number {
    return this.#now
  }

  after(ms: number, act: () => void): () => void {
    const timer = { at: this.#now + Math.max(ms, 0), act }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** Moves on, running timers at their times and letting their work continue. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    for (let next = this.#next(end); next; next = this.#next(end)) {
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.act()
      await turns()
    }
    this.#now = end
  }

  /** Jumps, like a wall clock may, without running anything. Timers are unaffected: they stay as far off as before. */
  jump(ms: number): void {
    this.#now += ms
    if (ms < 0) for (const timer of this.#timers) timer.at += ms
  }

  /** Skips ahead at once, as after a machine has slept: what was due on the way runs once. */
  async leap(ms: number): Promise<void> {
    this.jump(ms)
    await this.advance(0)
  }

  #next(end: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.#timers) if (timer.at <= end && (!next || timer.at < next.at)) next = timer
    return next
  }
}

/** Lets promises and changes of this turn and the next few run. */
export async function turns(count = 4): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}
