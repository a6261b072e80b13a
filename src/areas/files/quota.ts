import { type Problem, withoutRoom } from '../../contract/problem.ts'
import { inodesUsedUp, quotaUsedUp, trashCounts } from '../../host/contract/driver.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { KeyedLock } from '../../shared/lock.ts'
import { hostNameOf } from '../accounts/objects/state.ts'
import { keepUsage } from '../accounts/operations/usage.ts'
import { accountById, type FullAccount, fullAccount } from '../accounts/store.ts'
import { hostOf } from '../host/host.ts'
import { filesOf, type OfAccount } from './of-account.ts'
import { isFresh, tallyOf } from './pending-bytes.ts'
import { asProblem } from './problem.ts'

const mebibyte = 1024 * 1024
const lock = new KeyedLock()

/** What an account may still write in bytes, and make in files and directories. */
export type Room = { readonly room?: number; readonly inodes?: number }

/** What is left by the last measurement; unlimited without a quota. */
function roomIn({ disk_quota_mb, disk_used_mb, inodes_limit, inodes_used }: FullAccount): Room {
  return {
    ...(disk_quota_mb !== null && { room: Math.max(0, disk_quota_mb - disk_used_mb) * mebibyte }),
    ...(inodes_limit !== null && { inodes: Math.max(0, inodes_limit - inodes_used) }),
  }
}

/** What is left after what was written since, or is being written. */
export function roomLeft(runtime: Runtime, id: string): Room {
  const account = accountById(runtime.store.db, id)
  const { room, inodes } = account ? roomIn(account) : {}
  const { isKnown, written, coming, made, making } = tallyOf(runtime, id)
  return {
    ...(room !== undefined && { room: isKnown ? Math.max(0, room - written - coming) : 0 }),
    ...(inodes !== undefined && { inodes: isKnown ? Math.max(0, inodes - made - making) : 0 }),
  }
}

/** Measures a home again if too little is left: replaced or removed files make room. */
export async function makeRoom(
  runtime: Runtime,
  id: string,
  { bytes = 0, inodes = 1 }: { readonly bytes?: number; readonly inodes?: number },
  signal: AbortSignal,
): Promise<void> {
  const left = roomLeft(runtime, id)
  if ((left.room ?? bytes) < bytes || (left.inodes ?? inodes) < inodes)
    await lock.run(id, async () => isFresh(runtime, id) || measure(runtime, id, signal))
}

/** The room for writers that cannot announce their size. */
export async function roomForAll(runtime: Runtime, id: string, signal: AbortSignal): Promise<Room> {
  await makeRoom(runtime, id, { bytes: Number.POSITIVE_INFINITY, inodes: Number.POSITIVE_INFINITY }, signal)
  return roomLeft(runtime, id)
}

/** Measures a home after a large write or removal. On failure, the next writer measures. */
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
  const before = { written: tally.written, made: tally.made }
  const [usage] = await hostOf(runtime).usage({ accounts: [hostNameOf(account)] }, { signal })
  if (!usage) return
  const now = runtime.clock.now()
  await runtime.store.change(() => keepUsage(runtime, usage, now))
  Object.assign(tally, {
    isKnown: true,
    written: tally.written - before.written,
    made: tally.made - before.made,
    measuredAt: now,
  })
}

/** Refuses a body that announces more than fits. */
export async function refuseBeyond(ctx: OfAccount, { room }: Room, announced = 0): Promise<void> {
  if (announced > (room ?? announced)) throw asProblem(quotaUsedUp(await trashOf(ctx)))
}

/** The refusal of an upload that exceeds the quota. */
export async function beyondQuota(ctx: OfAccount, size: number): Promise<Problem | undefined> {
  const { room = size, inodes = 1 } = roomIn(fullAccount(ctx))
  if (inodes < 1) return asProblem(inodesUsedUp(await trashOf(ctx))) as Problem
  return size > room ? withoutRoom(room, await trashOf(ctx)) : undefined
}

const MAX_WAIT_MS = 5_000

/** A hint that the trash takes space, for an account without room; undefined if the host cannot say. */
async function trashOf(ctx: OfAccount): Promise<string> {
  const signal = AbortSignal.timeout(MAX_WAIT_MS)
  const { items } = await filesOf(ctx)
    .act('listTrash', {}, { signal })
    .catch(() => ({ items: [] }))
  return trashCounts(items.length)
}
