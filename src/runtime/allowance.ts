import type { Runtime } from './runtime.ts'

interface AllowanceLimits {
  /** What may be spent at once. */
  readonly burst: number
  readonly perSecond: number
}

interface Balance {
  amount: number
  at: number
}

/** What each owner may spend: a burst, and then so much a second. A balance may become negative. */
export class Allowance {
  readonly #limits: AllowanceLimits
  readonly #balances = new WeakMap<Runtime, Map<string, Balance>>()

  constructor(limits: AllowanceLimits) {
    this.#limits = limits
  }

  balanceOf(runtime: Runtime, owner: string): number {
    return this.#current(runtime, owner).amount
  }

  spend(runtime: Runtime, owner: string, amount: number): void {
    this.#current(runtime, owner).amount -= amount
  }

  #current(runtime: Runtime, owner: string): Balance {
    const { burst, perSecond } = this.#limits
    const all = this.#balances.get(runtime) ?? new Map<string, Balance>()
    this.#balances.set(runtime, all)
    const now = runtime.clock.now()
    const { amount, at } = all.get(owner) ?? { amount: burst, at: now }
    const earned = (Math.max(0, now - at) / 1000) * perSecond
    const current = { amount: Math.min(burst, amount + earned), at: now }
    all.set(owner, current)
    return current
  }
}
