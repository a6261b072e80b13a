import type { Runtime } from '../runtime.ts'
import type { Clock } from './clock.ts'

/** Repeats work at an interval; returns a function that stops it and waits for a run in flight. Failures are logged. */
export function every(
  runtime: Runtime,
  ms: number | (() => number),
  failure: string,
  work: (signal: AbortSignal) => Promise<void>,
): () => Promise<void> {
  const abort = new AbortController()
  let cancel = (): void => {}
  let current: Promise<void> = Promise.resolve()
  const plan = (): void => {
    cancel = runtime.clock.after(typeof ms === 'number' ? ms : ms(), () => {
      current = work(abort.signal)
        .catch((error: unknown) => runtime.log.error({ err: error }, failure))
        .finally(() => {
          if (!abort.signal.aborted) plan()
        })
    })
  }
  plan()
  return async () => {
    abort.abort()
    cancel()
    await current
  }
}

/** Waits, or returns at once when told to stop. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const end = (): void => {
      cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const cancel = clock.after(ms, end)
    signal.addEventListener('abort', end)
  })
}
