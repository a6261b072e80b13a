import { setImmediate as nextTurn } from 'node:timers/promises'
import { Problem } from '../../contract/problem.ts'
import { FairQueue } from '../fair-queue.ts'
import type { Turn } from '../jobs/shares.ts'

/** How long a slice may hold the event loop, unless one step takes longer. */
const SLICE_MS = 2
/** In progress or waiting, for one account: each holds a large body in memory. */
const MAX_OF_ACCOUNT = 2
const MAX_WAITING = 16

/** One such work at a time, so that its slices come one in a turn. */
const queue = new FairQueue(1, MAX_WAITING)
const counts = new Map<string, number>()

/** Work in small steps; each `yield` is where other requests may come in between. */
export type Steps<T> = Generator<void, T>

/** Runs work on a large body beside other requests, one for an account at a time. 429 beyond the one that waits. */
export async function inSlices<T>(account: string, turn: Turn | undefined, steps: Steps<T>): Promise<T> {
  const count = counts.get(account) ?? 0
  if (count >= MAX_OF_ACCOUNT) throw tooMany()
  counts.set(account, count + 1)
  try {
    return await queue.run(turn, () => sliced(steps))
  } finally {
    const left = counts.get(account)! - 1
    if (left === 0) counts.delete(account)
    else counts.set(account, left)
  }
}

async function sliced<T>(steps: Steps<T>): Promise<T> {
  // What the one before has prepared is committed in the next turn, and this one then works on its outcome.
  await nextTurn()
  await nextTurn()
  for (let began = performance.now(); ; ) {
    const { done, value } = steps.next()
    if (done) return value
    if (performance.now() - began < SLICE_MS) continue
    await nextTurn()
    began = performance.now()
  }
}

let lastTurn: Promise<void> = Promise.resolve()

/**
 * Waits for a turn of the event loop in which no other such work begins. What parses a large body begins so: however
 * many arrive at once, others have their turn after each.
 */
export function ownTurn(): Promise<void> {
  lastTurn = lastTurn.then(() => nextTurn())
  return lastTurn
}

/** Runs it at once, where nothing may come in between. */
export function runToEnd<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

const tooMany = (): Problem =>
  new Problem(
    'rate-limited',
    `This account has ${MAX_OF_ACCOUNT} such requests in progress. Try again in a moment.`,
    undefined,
    { 'Retry-After': '1' },
  )
