import type { Outgoing } from '../../outgoing/client.ts'
import type { Engine } from '../../runtime/areas/engine.ts'
import type { Counter } from '../../runtime/metrics/registry.ts'
import type { Runtime } from '../../runtime/runtime.ts'
import { type Claim, claim, outlookOf, pending } from './claim.sql.ts'
import { restAfter } from './delinquency.ts'
import { deliver } from './deliver.ts'
import { Lanes } from './lanes.ts'
import { measureDeliveries, report } from './observe.sql.ts'
import { ownerOf } from './outbox.sql.ts'
import { sweepOrphans } from './prune.sql.ts'
import { recover, shiftBack } from './recover.sql.ts'
import { type Result, settle } from './settle.sql.ts'

const atATime = 64
const poll = 5_000
/** Smaller clock steps are ignored. */
const clockSlack = 1_000
const afterTrouble = 1_000
const lastTries = 5

/**
 * Sends due deliveries. It wakes after commits, at the next due time, and every few seconds in any case. Each round is
 * one change: it records the results that came in, and claims what can go out.
 */
export class Dispatcher implements Engine {
  static async begin(runtime: Runtime, outgoing: Outgoing): Promise<Dispatcher> {
    const dispatcher = new Dispatcher(runtime, outgoing)
    await dispatcher.start()
    return dispatcher
  }

  readonly #runtime: Runtime
  readonly #outgoing: Outgoing
  #lanes = new Lanes()
  readonly #requests = new Set<Promise<void>>()
  /** Attempts in flight whose results are not yet committed. */
  readonly #inFlight = new Set<Result['claim']>()
  readonly #idle: (() => void)[] = []
  #results: Result[] = []
  #round: Promise<void> | undefined
  #sweep: Promise<void> = Promise.resolve()
  #again = false
  #failed = false
  #holding = true
  #stopped = false
  readonly #attempts: Counter
  #cancelTimer: (() => void) | undefined
  #looked = 0
  #latest = 0

  constructor(runtime: Runtime, outgoing: Outgoing) {
    this.#runtime = runtime
    this.#outgoing = outgoing
    this.#attempts = measureDeliveries(runtime)
  }

  /** Requeues what an earlier process had in flight, then starts. */
  async start(): Promise<void> {
    const { store, signals, clock, log } = this.#runtime
    const interrupted = await store.change(() => recover(this.#runtime))
    if (interrupted > 0) log.warn({ interrupted }, 'resending deliveries that were in flight when the server stopped')
    this.#latest = clock.now()
    this.#holding = false
    signals.on('delivery', this.#due)
    signals.on('orphans', this.#orphans)
    this.#orphans()
    this.#look()
    this.wake()
  }

  /** Sends nothing new from now on. */
  hold(): void {
    this.#holding = true
  }

  /** Waits for attempts in flight, which end within their time limit, and records their results. */
  async stop(): Promise<void> {
    const { signals } = this.#runtime
    this.hold()
    signals.off('delivery', this.#due)
    signals.off('orphans', this.#orphans)
    await this.#round
    await Promise.all(this.#requests)
    for (let tries = 0; tries < lastTries && (this.#round || this.#results.length > 0); tries++) {
      this.wake()
      await this.#round
    }
    this.#stopped = true
    this.#cancelTimer?.()
    await this.#sweep
    await this.#outgoing.close()
  }

  /** Resolves when nothing is in flight and nothing can be sent now. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve)
      this.wake()
    })
  }

  /** Whether a delivery has been due for so many milliseconds while nothing was sent. */
  late(ms: number): boolean {
    const next = this.#lanes.next()
    return this.#lanes.inProgress === 0 && next !== undefined && next < this.#runtime.clock.now() - ms
  }

  /** The round starts after the hooks of the commit that woke it. */
  readonly wake = (): void => {
    if (this.#stopped) return
    if (this.#round) {
      this.#again = true
      return
    }
    this.#round = Promise.resolve()
      .then(() => this.#work())
      .catch((error: unknown) => this.#reportFailure(error))
      .finally(() => this.#ended())
      .catch((error: unknown) => this.#runtime.log.error({ err: error }, 'deliveries wait for the next look'))
  }

  readonly #due = (webhookId: string, owner: string): void => {
    this.#lanes.touch(webhookId, owner, this.#runtime.clock.now())
    this.wake()
  }

  readonly #orphans = (): void => {
    this.#sweep = this.#sweep
      .then(() => sweepOrphans(this.#runtime, () => this.#stopped || this.#holding))
      .catch((error: unknown) => this.#runtime.log.error({ err: error }, 'old deliveries could not be removed'))
  }

  async #work(): Promise<void> {
    const { store, clock } = this.#runtime
    const now = clock.now()
    const back = this.#latest - now
    this.#latest = now
    if (back > clockSlack) await store.change(() => this.#setBack(back))
    if (this.#results.length === 0 && this.#share().size === 0) return
    const claims = await store.change(() => this.#turn())
    for (const one of claims) this.#launch(one)
  }

  #setBack(by: number): void {
    shiftBack(this.#runtime, by)
    this.#runtime.store.afterCommit(() => {
      this.#lanes.awaken()
      this.#look()
    })
  }

  #share(): Map<string, number> {
    if (this.#holding) return new Map()
    return this.#lanes.share(this.#runtime.clock.now(), atATime - this.#lanes.inProgress)
  }

  /** Inside the change: records results, which frees slots, then claims what can go out. */
  #turn(): Claim[] {
    const results = [...this.#results]
    for (const result of results) this.#land(result)
    for (const id of new Set(results.map((result) => result.claim.webhook_id))) this.#see(id)
    const claims = [...this.#share()].flatMap(([id, count]) => this.#claim(id, count))
    this.#runtime.store.afterCommit(() => {
      this.#results = this.#results.slice(results.length)
      for (const { claim: settled } of results) this.#inFlight.delete(settled)
      for (const one of claims) this.#inFlight.add(one)
    })
    return claims
  }

  #land(result: Result): void {
    const failures = settle(this.#runtime, result)
    const rest = result.outcome.error === undefined ? 0 : restAfter(failures)
    const { webhook_id } = result.claim
    this.#lanes.ended(webhook_id, this.#runtime.clock.now() + rest)
  }

  #claim(webhookId: string, count: number): Claim[] {
    const claims = claim(this.#runtime, webhookId, count, this.#runtime.clock.now())
    this.#lanes.began(webhookId, claims.length)
    this.#see(webhookId)
    return claims
  }

  #see(webhookId: string): void {
    const { failures, due } = outlookOf(this.#runtime, webhookId)
    this.#lanes.refresh(webhookId, due, failures > 0)
  }

  #launch(one: Claim): void {
    const flight = deliver(this.#runtime, this.#outgoing, one).then((outcome) => {
      this.#attempts.inc(outcome.error ?? 'succeeded')
      report(this.#runtime.log, one, outcome)
      this.#requests.delete(flight)
      this.#results.push({ claim: one, outcome })
      this.wake()
    })
    this.#requests.add(flight)
  }

  /** The failed change left nothing behind: recounts the attempts in flight and re-reads the store. */
  #recount(): void {
    this.#lanes = new Lanes()
    for (const one of this.#inFlight) {
      this.#lanes.touch(one.webhook_id, ownerOf(this.#runtime, one), Number.POSITIVE_INFINITY)
      this.#lanes.began(one.webhook_id, 1)
    }
    this.#look()
  }

  #reportFailure(error: unknown): void {
    this.#failed = true
    this.#runtime.log.error({ err: error }, 'deliveries could not be claimed or written')
    this.#recount()
  }

  #ended(): void {
    this.#round = undefined
    const again = this.#again && !this.#failed
    this.#again = false
    if (again) return this.wake()
    if (!this.#stopped) this.#sleep(this.#pause())
    const quiet = this.#lanes.inProgress === 0 && this.#results.length === 0
    if (quiet) for (const resolve of this.#idle.splice(0)) resolve()
  }

  #pause(): number {
    const failed = this.#failed
    this.#failed = false
    if (failed) return afterTrouble
    const next = this.#holding || this.#lanes.inProgress >= atATime ? undefined : this.#lanes.next()
    return next === undefined ? poll : Math.max(0, Math.min(poll, next - this.#runtime.clock.now()))
  }

  #sleep(ms: number): void {
    this.#cancelTimer?.()
    this.#cancelTimer = this.#runtime.clock.after(ms, () => {
      if (this.#runtime.clock.now() - this.#looked >= poll) this.#look()
      this.wake()
    })
  }

  /** Reads what is due from the store, regardless of signals. */
  #look(): void {
    this.#looked = this.#runtime.clock.now()
    for (const { id, account_id, due, failures } of pending(this.#runtime))
      this.#lanes.touch(id, ownerOf(this.#runtime, { account_id }), due, failures > 0)
  }
}
