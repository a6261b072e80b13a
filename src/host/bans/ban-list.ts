import type { BanExchange } from '../contract/commands/bans.ts'

/** How bans differ from what was applied before. */
export interface BanChange {
  /** Everything is replaced. */
  readonly complete: boolean
  /** By network: until when; 0 lifts it. */
  readonly bans: ReadonlyMap<string, number>
}

/** The bans that the panel has named to a host, up to the last change that it has heard of. */
export class BanList {
  readonly #bans = new Map<string, number>()
  #incoming: Map<string, number> | undefined
  #isComplete = false
  #seq = 0

  get seq(): number {
    return this.#seq
  }

  get bans(): ReadonlyMap<string, number> {
    return this.#bans
  }

  /** Takes what the panel says, unless it follows on something unheard of; returns what has to change, once all of it came. */
  take({ after, seq, bans, more }: BanExchange): BanChange | undefined {
    if (after !== 0 && after !== this.#seq) return undefined
    if (after === 0) {
      this.#incoming = new Map()
      this.#isComplete = true
    }
    this.#incoming ??= new Map()
    for (const { network, until } of bans) this.#incoming.set(network, until)
    this.#seq = seq
    return more ? undefined : this.#settle()
  }

  #settle(): BanChange {
    const change = { complete: this.#isComplete, bans: this.#incoming! }
    this.#incoming = undefined
    this.#isComplete = false
    if (change.complete) this.#bans.clear()
    for (const [network, until] of change.bans) this.set(network, until)
    return change
  }

  set(network: string, until: number): void {
    if (until === 0) this.#bans.delete(network)
    else this.#bans.set(network, until)
  }

  forgetExpired(now: number): void {
    for (const [network, until] of this.#bans) if (until <= now) this.#bans.delete(network)
  }
}
