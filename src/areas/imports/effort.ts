import { Problem } from '../../contract/problem.ts'
import { Allowance } from '../../runtime/allowance.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'

const BURST_MS = 2_000
const MS_PER_SECOND = 50

/** Measured: 12 MiB are planned in 1.7 s, and 80,000 lines read in 0.15 s. */
export const MS_PER_CHARACTER = 1.1e-4
export const MS_PER_LINE = 2e-3

/**
 * Planning an import and reading its report take as long as its archive describes much, up to seconds, in which everybody
 * waits. Each reseller has an allowance of that time.
 */
const allowance = new Allowance({ burst: BURST_MS, perSecond: MS_PER_SECOND })

/** Notes what work for an owner's import takes, unless root requested it. */
export function spend({ runtime, actor }: Context, owner: string, ms: number): void {
  if (!isRoot(actor)) allowance.spend(runtime, owner, ms)
}

/** 429 for a reseller whose imports took more than its allowance. */
export function refuseWhileSpent({ runtime, actor }: Context): void {
  if (isRoot(actor)) return
  const balance = allowance.balanceOf(runtime, actor.id)
  if (balance > 0) return
  const seconds = String(Math.ceil(-balance / MS_PER_SECOND) + 1)
  throw new Problem('rate-limited', 'Your imports took too much time; try again later.', undefined, {
    'Retry-After': seconds,
  })
}
