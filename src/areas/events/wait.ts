import { overloaded } from '../../contract/problem.ts'
import type { Context } from '../../runtime/context.ts'
import type { EventRow } from '../../runtime/emission.ts'
import type { Runtime } from '../../runtime/runtime.ts'

const most = 1000
const maxPerCaller = 20

/** Waiting callers, limited in total and per caller, so that no one takes every slot. */
class Waiters {
  readonly #byCaller = new Map<string, number>()
  #count = 0

  enter(caller: string): void {
    const own = this.#byCaller.get(caller) ?? 0
    if (this.#count >= most || own >= maxPerCaller)
      throw overloaded('Too many requests are waiting for events. Try again without `wait`.')
    this.#byCaller.set(caller, own + 1)
    this.#count++
  }

  leave(caller: string): void {
    const left = this.#byCaller.get(caller)! - 1
    if (left === 0) this.#byCaller.delete(caller)
    else this.#byCaller.set(caller, left)
    this.#count--
  }
}

const all = new WeakMap<Runtime, Waiters>()

function waitersOf(runtime: Runtime): Waiters {
  const waiters = all.get(runtime) ?? new Waiters()
  all.set(runtime, waiters)
  return waiters
}

/**
 * Waits for a matching event, until the timeout, the caller goes away or the server stops. 503 `overloaded` if too many
 * are waiting.
 */
export async function waitForEvent(
  ctx: Context,
  ms: number,
  signal: AbortSignal,
  wanted: (event: EventRow) => boolean,
): Promise<void> {
  if (signal.aborted) return
  const waiters = waitersOf(ctx.runtime)
  const caller = ctx.actor.token?.id ?? ctx.actor.id
  waiters.enter(caller)
  try {
    await until(ctx.runtime, ms, signal, wanted)
  } finally {
    waiters.leave(caller)
  }
}

function until(
  { signals, clock }: Runtime,
  ms: number,
  signal: AbortSignal,
  wanted: (event: EventRow) => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel()
      signals.off('event', check)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const check = (event: EventRow): void => {
      if (wanted(event)) done()
    }
    const cancel = clock.after(ms, done)
    signals.on('event', check)
    signal.addEventListener('abort', done)
  })
}
