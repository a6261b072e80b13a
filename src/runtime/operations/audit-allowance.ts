import { Allowance } from '../allowance.ts'
import { shareholderOf } from '../jobs/shares.ts'
import type { Runtime } from '../runtime.ts'
import { type Actor, isRoot } from './actor.ts'

const BURST_BYTES = 4 * 1024 * 1024
const BYTES_PER_SECOND = 100
/** Smaller details are free. */
const FREE_BYTES = 512

/** What a customer, or a reseller with its customers, may have recorded: it stays for 400 days. */
const allowance = new Allowance({ burst: BURST_BYTES, perSecond: BYTES_PER_SECOND })

/** Whether details of this size are recorded, which takes from the caller's allowance. */
export function admitsDetails(runtime: Runtime, actor: Actor, bytes: number): boolean {
  if (bytes <= FREE_BYTES || isRoot(actor) || actor.type === 'system') return true
  const owner = shareholderOf(runtime, actor.id)
  if (bytes > allowance.balanceOf(runtime, owner)) return false
  allowance.spend(runtime, owner, bytes)
  return true
}
