import { overloaded } from '../../contract/problem.ts'
import type { Context } from '../../runtime/context.ts'
import type { EventRow } from '../../runtime/emission.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { shareholderOfCaller } from '../../runtime/shares.ts'

/** Waiting requests. An owner with none may still start one up to twice `MAX_WAITING`. */
const MAX_WAITING = 1000
const MAX_WAITING_OF_CALLER = 20
/** Of a customer, or of a reseller with its customers, whatever tokens they have. */
const MAX_WAITING_OF_OWNER = 200

/** Waiting requests, limited in total, per owner and per caller, so that no one takes every slot. */
class Waiters {
  readonly #counts = new Map<string, number>()
  #count = 0

  /** Returns a function that leaves. */
  enter(caller: string, owner: string | undefined): () => void {
    const ofOwner = this.#of(`owner ${owner}`)
    const isFull = this.#count >= (ofOwner === 0 ? 2 * MAX_WAITING : MAX_WAITING)
    const hasShare = owner === undefined || ofOwner < MAX_WAITING_OF_OWNER
    if (isFull || !hasShare || this.#of(caller) >= MAX_WAITING_OF_CALLER)
      throw overloaded('Too many requests are waiting for events. Try again without `wait`.')
    this.#add(caller, owner, 1)
    return () => this.#add(caller, owner, -1)
  }

  #of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  #add(caller: string, owner: string | undefined, by: 1 | -1): void {
    this.#count += by
    for (const key of [caller, `owner ${owner}`]) {
      const count = this.#of(key) + by
      if (count === 0) this.#counts.delete(key)
      else this.#counts.set(key, count)
    }
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
  const leave = waiters.enter(caller, shareholderOfCaller(ctx.runtime, ctx.actor))
  try {
    await until(ctx.runtime, ms, signal, wanted)
  } finally {
    leave()
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
