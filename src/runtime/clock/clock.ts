/** Time as the panel sees it. Tests bring their own. */
export interface Clock {
  /** Unix time in milliseconds. */
  now(): number
  /** Runs once after so many milliseconds; returns a function that cancels it. */
  after(ms: number, act: () => void): () => void
}

/** setTimeout wraps around above this. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, Math.min(Math.max(ms, 0), MAX_TIMEOUT_MS))
    return () => clearTimeout(timer)
  },
}
