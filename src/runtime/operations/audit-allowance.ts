import { shareholderOf } from '../jobs/shares.ts'
import type { Runtime } from '../runtime.ts'
import { type Actor, isRoot } from './actor.ts'

/** What a customer, or a reseller with its customers, has recorded at once, and then in a second: it stays for 400 days. */
const BURST_BYTES = 4 * 1024 * 1024
const BYTES_PER_SECOND = 100
/** Smaller details are free. */
const FREE_BYTES = 512

interface Allowance {
  left: number
  at: number
}

const allowances = new WeakMap<Runtime, Map<string, Allowance>>()

/** Whether details of this size are recorded, which takes from the caller's allowance. */
export function admitsDetails(runtime: Runtime, actor: Actor, bytes: number): boolean {
  if (bytes <= FREE_BYTES || isRoot(actor) || actor.type === 'system') return true
  const allowance = allowanceOf(runtime, shareholderOf(runtime, actor.id))
  if (bytes > allowance.left) return false
  allowance.left -= bytes
  return true
}

function allowanceOf(runtime: Runtime, owner: string): Allowance {
  const all = allowances.get(runtime) ?? new Map<string, Allowance>()
  allowances.set(runtime, all)
  const now = runtime.clock.now()
  const { left, at } = all.get(owner) ?? { left: BURST_BYTES, at: now }
  const earned = (Math.max(0, now - at) / 1000) * BYTES_PER_SECOND
  const current = { left: Math.min(BURST_BYTES, left + earned), at: now }
  all.set(owner, current)
  return current
}
