import { Problem } from '../../../contract/problem.ts'
import type { AccountState } from '../../../host/contract/driver.ts'
import type { Context } from '../../../runtime/operations/context.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { accountById, type FullAccount } from '../store.ts'
import { stateOf } from './state.ts'

/**
 * Of an account's desired state in JSON. The host's agent takes 16 MiB at once, and an account beyond that could not be
 * suspended; the rest is for what the panel adds by itself, such as certificates and keys.
 */
export const MAX_STATE_BYTES = 8 * 1024 * 1024

/** How much a change may add for each byte of its body, as the records of a zone file do, and at least. */
const MAX_GROWTH_PER_BYTE = 10
const MAX_GROWTH_PER_CHANGE = 16 * 1024
/** What may be added to an account whose size is not known yet. */
const MAX_UNKNOWN_GROWTH = 256 * 1024

interface StateSize {
  readonly bytes: number
  /** The most that changes since then may have added. */
  readonly growth: number
}

const sizes = new WeakMap<Runtime, Map<string, StateSize>>()

function sizesOf(runtime: Runtime): Map<string, StateSize> {
  const known = sizes.get(runtime) ?? new Map<string, StateSize>()
  sizes.set(runtime, known)
  return known
}

/** Records how large the state is. */
export function noteStateSize(runtime: Runtime, { id }: Pick<FullAccount, 'id'>, state: AccountState): number {
  const bytes = Buffer.byteLength(JSON.stringify(state))
  sizesOf(runtime).set(id, { bytes, growth: 0 })
  return bytes
}

/** 409 `limit-reached` if the state that the change leads to is too large. Inside the change. */
export function refuseLargeState(ctx: Context, account: string, bodyBytes: number): void {
  const known = sizesOf(ctx.runtime).get(account) ?? { bytes: MAX_STATE_BYTES - MAX_UNKNOWN_GROWTH, growth: 0 }
  const growth = known.growth + MAX_GROWTH_PER_CHANGE + MAX_GROWTH_PER_BYTE * bodyBytes
  if (known.bytes + growth > MAX_STATE_BYTES) refuseLargeStateNow(ctx, account)
  else sizesOf(ctx.runtime).set(account, { ...known, growth })
}

/** The same, measured exactly. */
export function refuseLargeStateNow({ runtime, db }: Pick<Context, 'runtime' | 'db'>, id: string): void {
  const account = accountById(db, id)
  if (!account || noteStateSize(runtime, account, stateOf(runtime, account)) <= MAX_STATE_BYTES) return
  throw new Problem(
    'limit-reached',
    `The settings of an account (its domains, records, addresses, filters and rules) have at most ${MAX_STATE_BYTES / 1024 ** 2} MiB.`,
  )
}

/** The same for an operation that changes what the host has of an account. */
export function refuseLargeChange(ctx: Context, bodyBytes: number): void {
  const { op, runtime } = ctx
  const account = (ctx as { found?: { account?: { id: string } } }).found?.account?.id
  if (account === undefined || op?.job === undefined || op.method === 'delete') return
  const isOfState = runtime.areas.some(({ name, ofAccount }) => name === op.area && ofAccount?.host !== undefined)
  if (isOfState && op.area !== 'accounts') refuseLargeState(ctx, account, bodyBytes)
}
