import { Problem } from '../../contract/problem.ts'
import { isRoot } from '../../runtime/operations/actor.ts'
import type { Context } from '../../runtime/operations/context.ts'
import type { Runtime } from '../../runtime/runtime.ts'

/**
 * Planning an import and reading its report take as long as its archive describes much, up to seconds, in which everybody
 * waits. Each reseller has an allowance of that time.
 */
const BURST_MS = 2_000
const MS_PER_SECOND = 50

/** Measured: 12 MiB are planned in 1.7 s, and 80,000 lines read in 0.15 s. */
export const MS_PER_CHARACTER = 1.1e-4
export const MS_PER_LINE = 2e-3

interface Allowance {
  left: number
  at: number
}

const allowances = new WeakMap<Runtime, Map<string, Allowance>>()

function allowanceOf(runtime: Runtime, owner: string): Allowance {
  const all = allowances.get(runtime) ?? new Map<string, Allowance>()
  allowances.set(runtime, all)
  const now = runtime.clock.now()
  const { left, at } = all.get(owner) ?? { left: BURST_MS, at: now }
  const earned = (Math.max(0, now - at) / 1000) * MS_PER_SECOND
  const current = { left: Math.min(BURST_MS, left + earned), at: now }
  all.set(owner, current)
  return current
}

/** Notes what work for an owner's import takes. */
export function spend(runtime: Runtime, owner: string, ms: number): void {
  allowanceOf(runtime, owner).left -= ms
}

/** 429 for a reseller whose imports took more than its allowance. */
export function refuseWhileSpent({ runtime, actor }: Context): void {
  if (isRoot(actor)) return
  const { left } = allowanceOf(runtime, actor.id)
  if (left > 0) return
  const seconds = String(Math.ceil(-left / MS_PER_SECOND) + 1)
  throw new Problem('rate-limited', 'Your imports took too much time; try again later.', undefined, {
    'Retry-After': seconds,
  })
}
