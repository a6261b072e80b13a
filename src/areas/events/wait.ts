import { overloaded } from '../../contract/problem.ts'
import type { EventRow } from '../../runtime/events/emission.ts'
import { type Turn, turnOfCaller } from '../../runtime/jobs/shares.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'

/** Waiting requests; as many of root's beside them. An owner with none may still start one up to twice `MAX_WAITING`. */
const MAX_WAITING = 1000
const MAX_WAITING_OF_CALLER = 20
/** With all tokens and sessions of an account or a reseller. */
const MAX_WAITING_OF_ACCOUNT = 50
/** Of a reseller with its customers. */
const MAX_WAITING_OF_OWNER = 200

/** Waiting requests, limited in total, per owner, account and caller, so that no one takes every slot. */
class Waiters {
  readonly #counts = new Map<string, number>()

  /** Returns a function that leaves. */
  enter(caller: string, turn: Turn | undefined): () => void {
    const isFull = turn ? this.#isFull(turn) : this.#of('root') >= MAX_WAITING
    if (isFull || this.#of(`caller ${caller}`) >= MAX_WAITING_OF_CALLER)
      throw overloaded('Too many requests are waiting for events. Try again without `wait`.')
    const owners = turn ? ['tenants', `owner ${turn.owner}`, `account ${turn.member}`] : ['root']
    const keys = [`caller ${caller}`, ...owners]
    this.#add(keys, 1)
    return () => this.#add(keys, -1)
  }

  #isFull({ owner, member }: Turn): boolean {
    const ofOwner = this.#of(`owner ${owner}`)
    if (ofOwner >= MAX_WAITING_OF_OWNER || this.#of(`account ${member}`) >= MAX_WAITING_OF_ACCOUNT) return true
    return this.#of('tenants') >= (ofOwner === 0 ? 2 * MAX_WAITING : MAX_WAITING)
  }

  #of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  #add(keys: readonly string[], by: 1 | -1): void {
    for (const key of keys) {
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
  matches: (event: EventRow) => boolean,
): Promise<void> {
  if (signal.aborted) return
  const waiters = waitersOf(ctx.runtime)
  const caller = ctx.actor.token?.id ?? ctx.actor.id
  const leave = waiters.enter(caller, turnOfCaller(ctx))
  try {
    await until(ctx.runtime, ms, signal, matches)
  } finally {
    leave()
  }
}

function until(
  { signals, clock }: Runtime,
  ms: number,
  signal: AbortSignal,
  matches: (event: EventRow) => boolean,
): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      cancel()
      signals.off('event', check)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const check = (event: EventRow): void => {
      if (matches(event)) done()
    }
    const cancel = clock.after(ms, done)
    signals.on('event', check)
    signal.addEventListener('abort', done)
  })
}
