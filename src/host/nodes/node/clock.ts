export interface Clock {
  now(): number
  after(ms: number, act: () => void): () => void
}

/** The machine's own time. */
export const machineClock: Clock = {
  now: () => Date.now(),
  after: (ms, act) => {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}
