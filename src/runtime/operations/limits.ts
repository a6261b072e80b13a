import type { Declaration } from '../../contract/operation.ts'
import { Problem } from '../../contract/problem.ts'
import type { Clock } from '../clock/clock.ts'
import { networkOf } from './address.ts'

/** Burst size, and units regained per second. */
export interface Allowance {
  readonly burst: number
  readonly perSecond: number
}

export interface CallLimits {
  /** Per token and session. */
  readonly caller: Allowance
  /** Per account, for the changes of all its tokens and sessions. */
  readonly customer: Allowance
  /** Per address; per /64 for IPv6. */
  readonly address: Allowance
}

/**
 * Far above what a billing system needs, and low enough that a runaway loop leaves room for others.
 * A change costs one unit, a password five more, each 16 KiB of a large body one more, each 1,000 values of it and each
 * further 20 items of its lists one more, a page of more than 200 items one. Other reads are free.
 */
export const defaultLimits: CallLimits = {
  caller: { burst: 10_000, perSecond: 500 },
  customer: { burst: 300, perSecond: 5 },
  address: { burst: 20_000, perSecond: 1_000 },
}

const passwordUnits = 5
const bigPage = 200

/** A call's base cost, known before its body is read. */
export const unitsOf = (op: Declaration): number => (op.method === 'get' && !op.consumes ? 0 : 1)

const freeSize = 16 * 1024
const FREE_VALUES = 1_000

/** Of a body; each is known at its time. */
export interface BodySize {
  readonly bytes?: number
  readonly values?: number
}

/** What a body adds: a unit for each 16 KiB beyond the first, and for each 1,000 values beyond the first. */
export const unitsOfSize = ({ bytes = 0, values = 0 }: BodySize): number =>
  beyond(bytes, freeSize) + beyond(values, FREE_VALUES)

const beyond = (size: number, free: number): number => Math.ceil(Math.max(0, size - free) / free)

const freeItems = 20

/** What the items of a body's lists add: each is a change of its own, however few bytes it takes. */
function unitsOfItems(body: object): number {
  const items = Object.values(body).reduce((sum: number, one) => sum + (Array.isArray(one) ? one.length : 0), 0)
  return Math.ceil(Math.max(0, items - freeItems) / freeItems)
}

/** What the parsed query and body add. */
export function furtherUnits(op: Declaration, { query, body }: { query: unknown; body: unknown }): number {
  if (op.method === 'get') return (query as { per_page?: number }).per_page! > bigPage ? 1 : 0
  const { password, new_password } = body as Record<string, unknown>
  return (password === undefined && new_password === undefined ? 0 : passwordUnits) + unitsOfItems(body as object)
}

/** Who is charged for a call: its token or session, its account if it is a change, and its address. */
export interface Payer {
  readonly caller: string | undefined
  readonly customer: string | undefined
  readonly address: string | undefined
}

/** Charges callers and addresses. 429 `rate-limited` when a bucket is empty. */
export class Limiter {
  readonly #callers: Buckets
  readonly #customers: Buckets
  readonly #addresses: Buckets

  constructor(clock: Clock, { caller, customer, address }: CallLimits = defaultLimits) {
    this.#callers = new Buckets(clock, caller)
    this.#customers = new Buckets(clock, customer)
    this.#addresses = new Buckets(clock, address)
  }

  charge({ caller, customer, address }: Payer, units: number): void {
    if (units === 0) return
    const wait = Math.max(
      caller === undefined ? 0 : this.#callers.spend(caller, units),
      customer === undefined ? 0 : this.#customers.spend(customer, units),
      address === undefined ? 0 : this.#addresses.spend(networkOf(address), units),
    )
    if (wait > 0) throw tooMany(wait)
  }
}

const tooMany = (ms: number): Problem =>
  new Problem('rate-limited', 'Too many changes in a short time; slow down a little.', undefined, {
    'Retry-After': String(Math.ceil(ms / 1000)),
  })

const maxBuckets = 10_000

/** A leaky bucket per name, stored as the time at which it will be full again. */
export class Buckets {
  readonly #clock: Clock
  readonly #unit: number
  readonly #depth: number
  readonly #fullAt = new Map<string, number>()

  constructor(clock: Clock, { burst, perSecond }: Allowance) {
    this.#clock = clock
    this.#unit = 1000 / perSecond
    this.#depth = burst * this.#unit
  }

  get size(): number {
    return this.#fullAt.size
  }

  /** Takes units and returns 0, or takes none and returns the milliseconds to wait. */
  spend(name: string, units: number): number {
    const now = this.#clock.now()
    const after = this.#from(name, now) + units * this.#unit
    const wait = after - now - this.#depth
    if (wait > 0) return wait
    if (this.#fullAt.size >= maxBuckets) this.#sweep(now)
    this.#fullAt.set(name, after)
    return 0
  }

  /** If the clock went back, a bucket would look emptier than it can be. */
  #from(name: string, now: number): number {
    const at = this.#fullAt.get(name) ?? now
    return at < now || at > now + this.#depth ? now : at
  }

  /** Evicts full buckets, or the fullest if none is. */
  #sweep(now: number): void {
    for (const [name, at] of this.#fullAt) if (at <= now || at > now + this.#depth) this.#fullAt.delete(name)
    if (this.#fullAt.size < maxBuckets) return
    const byTime = [...this.#fullAt].sort(([, first], [, second]) => first - second)
    for (const [name] of byTime.slice(0, maxBuckets / 2)) this.#fullAt.delete(name)
  }
}
