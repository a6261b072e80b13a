import { overloaded } from '../../contract/problem.ts'
import type { EventRow } from '../../runtime/events/emission.ts'
import { turnOfCaller } from '../../runtime/jobs/shares.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { SharedSlots } from '../../runtime/shared-slots.ts'

const WAITING_LIMITS = { inAll: 1000, ofOwner: 200, ofAccount: 50, ofCaller: 20 }

const all = new WeakMap<Runtime, SharedSlots>()

function slotsOf(runtime: Runtime): SharedSlots {
  const slots = all.get(runtime) ?? new SharedSlots(WAITING_LIMITS)
  all.set(runtime, slots)
  return slots
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
  const leave = slotsOf(ctx.runtime).enter(ctx.actor.token?.id ?? ctx.actor.id, turnOfCaller(ctx))
  if (!leave) throw overloaded('Too many requests are waiting for events. Try again without `wait`.')
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
