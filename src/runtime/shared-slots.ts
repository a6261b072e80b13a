import type { Turn } from './jobs/shares.ts'

export interface SlotLimits {
  /** As many of root's beside them. An owner with none may still take one up to twice that. */
  readonly inAll: number
  /** Of a reseller with its customers. */
  readonly ofOwner: number
  /** With all tokens and sessions of an account or a reseller. */
  readonly ofAccount: number
  readonly ofCaller: number
}

/** Requests that stay open, limited in total, per owner, account and caller, so that no one takes every slot. */
export class SharedSlots {
  readonly #limits: SlotLimits
  readonly #counts = new Map<string, number>()

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  /** Returns a function that leaves; undefined if there is no slot. An undefined turn is root's. */
  enter(caller: string, turn: Turn | undefined): (() => void) | undefined {
    const isFull = turn ? this.#isFull(turn) : this.#of('root') >= this.#limits.inAll
    if (isFull || this.#of(`caller ${caller}`) >= this.#limits.ofCaller) return undefined
    const owners = turn ? ['tenants', `owner ${turn.owner}`, `account ${turn.member}`] : ['root']
    const keys = [`caller ${caller}`, ...owners]
    this.#add(keys, 1)
    return () => this.#add(keys, -1)
  }

  #isFull({ owner, member }: Turn): boolean {
    const { inAll, ofOwner, ofAccount } = this.#limits
    const taken = this.#of(`owner ${owner}`)
    if (taken >= ofOwner || this.#of(`account ${member}`) >= ofAccount) return true
    return this.#of('tenants') >= (taken === 0 ? 2 * inAll : inAll)
  }

  #of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  #add(keys: readonly string[], by: 1 | -1): void {
    for (const key of keys) {
      const count = this.#of(key) + by
      if (count === 0) this.#counts.delete(key)
      else this.#counts.set(key, count)
    }
  }
}
