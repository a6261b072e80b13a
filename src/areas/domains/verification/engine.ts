import type { Outside } from '../../../runtime/areas/area.ts'
import type { Engine } from '../../../runtime/areas/engine.ts'
import type { Runtime } from '../../../runtime/runtime.ts'
import { hour } from '../../../shared/time.ts'
import { domainById } from '../store.ts'
import { enqueueApply, ownChanges, settleLook } from './change.ts'
import { lookAt } from './look.ts'
import { type Due, dueLooks, earliestLook } from './store.ts'
import { subjectOfDomain } from './subject.ts'

/** Names that are looked at in a second. */
const MAX_LOOKS_PER_SECOND = 10
const ROUND_INTERVAL_MS = 1000

/** Looks at names when they are due, without jobs. */
export class Looks implements Engine {
  readonly #runtime: Runtime
  readonly #lookups: Outside['lookups']
  #round: Promise<void> | undefined
  #cancelTimer = (): void => {}
  #notBefore = 0
  readonly #stopping = new AbortController()

  constructor(runtime: Runtime, { lookups }: Pick<Outside, 'lookups'>) {
    this.#runtime = runtime
    this.#lookups = lookups
    runtime.signals.on('verification', this.#arm)
    this.#arm()
  }

  hold(): void {
    this.#stopping.abort()
    this.#cancelTimer()
    this.#runtime.signals.off('verification', this.#arm)
  }

  async stop(): Promise<void> {
    this.hold()
    await this.#round
  }

  readonly #arm = (): void => {
    const { store, clock } = this.#runtime
    if (this.#stopping.signal.aborted || this.#round) return
    this.#cancelTimer()
    const now = clock.now()
    const at = Math.max(earliestLook(store.db) ?? Number.POSITIVE_INFINITY, this.#notBefore)
    this.#cancelTimer = clock.after(Math.min(Math.max(0, at - now), hour), this.#begin)
  }

  readonly #begin = (): void => {
    const { clock, log, store } = this.#runtime
    const due = dueLooks(store.db, clock.now(), MAX_LOOKS_PER_SECOND)
    if (due.length > 0) this.#notBefore = clock.now() + ROUND_INTERVAL_MS
    this.#round = this.#look(due)
      .catch((error: unknown) => log.error({ err: error }, 'domains could not be looked at'))
      .finally(() => {
        this.#round = undefined
        this.#arm()
      })
  }

  async #look(due: readonly Due[]): Promise<void> {
    const { store, clock } = this.#runtime
    const outcomes = await Promise.all(
      due.map(async ({ domain }) => ({
        domain,
        outcome: await lookAt(this.#lookups, clock, subjectOfDomain(this.#runtime, domain), this.#stopping.signal),
      })),
    )
    if (outcomes.length === 0 || this.#stopping.signal.aborted) return
    await store.change(() => {
      for (const { domain, outcome } of outcomes) {
        const current = domainById(store.db, domain.id)
        if (current?.name !== domain.name) continue
        if (settleLook(ownChanges(this.#runtime), current, outcome)) enqueueApply(this.#runtime, current)
      }
    })
  }
}
