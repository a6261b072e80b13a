import type { Declaration } from '../contract/operation.ts'
import { Problem } from '../contract/problem.ts'
import { networkOf } from './address.ts'
import type { Clock } from './clock.ts'

/** How many units may be spent at once, and how many come back in a second. */
export interface Allowance {
  readonly burst: number
  readonly perSecond: number
}

export interface Limits {
  /** Of each token and each session. */
  readonly caller: Allowance
  /** Of the changes that all tokens and sessions of one account make together. */
  readonly customer: Allowance
  /** Of each address; of IPv6, each /64. */
  readonly address: Allowance
}

/**
 * Far above what a billing system asks for, and low enough that a loop gone wild leaves room for others.
 * A change costs one unit, a password five more, each 16 KiB of a large body one more, a page of more than 200 items one.
 * Other reads are free.
 */
export const defaultLimits: Limits = {
  caller: { burst: 10_000, perSecond: 500 },
  customer: { burst: 300, perSecond: 5 },
  address: { burst: 20_000, perSecond: 1_000 },
}

const passwordUnits = 5
const bigPage = 200

/** What a call costs for what it is, known before its body is read. */
export const unitsOf = (op: Declaration): number => (op.method === 'get' && !op.consumes ? 0 : 1)

const freeSize = 16 * 1024

/** What a body costs besides: a unit for each 16 KiB beyond the first. */
export const unitsOfSize = (bytes: number): number => Math.ceil(Math.max(0, bytes - freeSize) / freeSize)

/** What it costs besides, for what it asks. */
export function furtherUnits(op: Declaration, { query, body }: { query: unknown; body: unknown }): number {
  if (op.method === 'get') return (query as { per_page?: number }).per_page! > bigPage ? 1 : 0
  const { password, new_password } = body as Record<string, unknown>
  return password === undefined && new_password === undefined ? 0 : passwordUnits
}

/** Who pays for a call: the token or session it came with, its account for a change, and the address it came from. */
export interface Payer {
  readonly caller: string | undefined
  readonly customer: string | undefined
  readonly address: string | undefined
}

/** Counts what each caller and each address spends. 429 `rate-limited` beyond. */
export class Limiter {
  readonly #callers: Buckets
  readonly #customers: Buckets
  readonly #addresses: Buckets

  constructor(clock: Clock, { caller, customer, address }: Limits = defaultLimits) {
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

/** A leaky bucket for each name, kept as the one time at which it will be full again. */
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

  /** Takes units; or takes none, and answers how many milliseconds to wait for them. */
  spend(name: string, units: number): number {
    const now = this.#clock.now()
    const after = this.#from(name, now) + units * this.#unit
    const wait = after - now - this.#depth
    if (wait > 0) return wait
    if (this.#fullAt.size >= maxBuckets) this.#sweep(now)
    this.#fullAt.set(name, after)
    return 0
  }

  /** After a clock went back, a bucket would seem emptier than it can be. */
  #from(name: string, now: number): number {
    const at = this.#fullAt.get(name) ?? now
    return at < now || at > now + this.#depth ? now : at
  }

  /** Forgets who has everything back; where that is nobody, those who are nearest to it. */
  #sweep(now: number): void {
    for (const [name, at] of this.#fullAt) if (at <= now || at > now + this.#depth) this.#fullAt.delete(name)
    if (this.#fullAt.size < maxBuckets) return
    const byTime = [...this.#fullAt].sort(([, first], [, second]) => first - second)
    for (const [name] of byTime.slice(0, maxBuckets / 2)) this.#fullAt.delete(name)
  }
}
