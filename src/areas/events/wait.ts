import { Problem } from '../../contract/problem.ts'
import type { Context } from '../../runtime/context.ts'

const most = 1000
let waiting = 0

/** Waits until it is ready, the time is over, or the caller goes away. 503 `overloaded` when too many wait. */
export async function waitForEvent(ctx: Context, ms: number, signal: AbortSignal, ready: () => boolean): Promise<void> {
  if (ready() || signal.aborted) return
  if (waiting >= most)
    throw new Problem('overloaded', 'Too many callers wait for events; ask again without `wait`.', undefined, {
      'Retry-After': '1',
    })
  waiting++
  try {
    await until(ctx, ms, signal, ready)
  } finally {
    waiting--
  }
}

function until(ctx: Context, ms: number, signal: AbortSignal, ready: () => boolean): Promise<void> {
  const { signals, clock } = ctx.runtime
  return new Promise((resolve) => {
    const done = (): void => {
      cancel()
      signals.off('event', check)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const check = (): void => {
      if (ready()) done()
    }
    const cancel = clock.after(ms, done)
    signals.on('event', check)
    signal.addEventListener('abort', done)
  })
}
