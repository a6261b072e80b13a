import { withoutRoom } from '../../contract/problem.ts'
import { quotaUsedUp } from '../../host/driver.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { KeyedLock } from '../../shared/lock.ts'
import { hostNameOf } from '../accounts/state.ts'
import { accountById, type FullAccount, wholeAccount } from '../accounts/store.ts'
import { keepUsage } from '../accounts/usage.ts'
import { hostOf } from '../host/host.ts'
import type { OfAccount } from './of-account.ts'
import { asProblem } from './problem.ts'
import { isFresh, tallyOf } from './tally.ts'

const mebibyte = 1024 * 1024
const lock = new KeyedLock()

type Room = { readonly room?: number }

/** How many bytes the account may still write, as far as its home was measured; nothing where it has no quota. */
function roomIn({ disk_quota_mb: quota, disk_used_mb: used }: FullAccount): Room {
  return quota === null ? {} : { room: Math.max(0, quota - used) * mebibyte }
}

/** What is left of that beside what was written since, or is being written. */
export function roomLeft(runtime: Runtime, id: string): Room {
  const account = accountById(runtime.store.db, id)
  const { room } = account ? roomIn(account) : {}
  if (room === undefined) return {}
  const { isKnown, written, coming } = tallyOf(runtime, id)
  return { room: isKnown ? Math.max(0, room - written - coming) : 0 }
}

/** Measures a home again before less is left than is wanted: what was replaced or removed makes room. */
export async function makeRoom(runtime: Runtime, id: string, wanted: number, signal: AbortSignal): Promise<void> {
  const { room = wanted } = roomLeft(runtime, id)
  if (room < wanted) await lock.run(id, async () => isFresh(runtime, id) || measure(runtime, id, signal))
}

/** How many bytes may be written by what cannot say before how many it writes. */
export async function roomForAll(runtime: Runtime, id: string, signal: AbortSignal): Promise<Room> {
  await makeRoom(runtime, id, Number.POSITIVE_INFINITY, signal)
  return roomLeft(runtime, id)
}

/** Measures a home after much was written into it, or removed. What fails is made up for by the next one who writes. */
export async function measureAfter(runtime: Runtime, id: string, signal: AbortSignal): Promise<void> {
  tallyOf(runtime, id).isKnown = false
  if (signal.aborted) return
  await lock
    .run(id, () => measure(runtime, id, signal))
    .catch((err: unknown) => runtime.log.warn({ err, account: id }, 'usage could not be measured'))
}

async function measure(runtime: Runtime, id: string, signal: AbortSignal): Promise<void> {
  const account = accountById(runtime.store.db, id)
  if (!account) return
  const tally = tallyOf(runtime, id)
  const before = tally.written
  const [usage] = await hostOf(runtime).usage([hostNameOf(account)], { signal })
  if (!usage) return
  const now = runtime.clock.now()
  await runtime.store.change(() => keepUsage(runtime, usage, now))
  Object.assign(tally, { isKnown: true, written: tally.written - before, measuredAt: now })
}

/** Nothing is received of what says itself that it does not fit. */
export function refuseBeyond({ room }: Room, announced = 0): void {
  if (announced > (room ?? announced)) throw asProblem(quotaUsedUp())
}

export function refuseBeyondQuota(ctx: OfAccount, size: number): void {
  const { room = size } = roomIn(wholeAccount(ctx))
  if (size > room) throw withoutRoom(room)
}
