import type { Engine } from '../areas/engine.ts'
import type { Runtime } from '../runtime.ts'
import { getSetting, setSetting } from '../settings/settings.ts'

const MAX_AGE_MS = 60_000
const probeEvery = 5_000

/** Whether the server works: the store accepts writes, and no runnable work is stuck. */
export class Health {
  readonly #runtime: Runtime
  readonly #engines: readonly Engine[]
  #probed: { readonly at: number; readonly well: Promise<boolean> } | undefined

  constructor(runtime: Runtime, engines: readonly Engine[]) {
    this.#runtime = runtime
    this.#engines = engines
  }

  async check(): Promise<boolean> {
    // Report a refused write once, even if a later one succeeded.
    const troubled = this.#runtime.store.storageError !== undefined
    try {
      if (this.#runtime.leadership.lost !== undefined) return false
      return (await this.#writes()) && !troubled && !this.#engines.some((engine) => engine.late?.(MAX_AGE_MS))
    } catch {
      return false
    }
  }

  /** Frequent callers get the result of the last probe, unless a write has failed since. */
  #writes(): Promise<boolean> {
    const now = this.#runtime.clock.now()
    const age = Math.abs(now - (this.#probed?.at ?? Number.NEGATIVE_INFINITY))
    if (!this.#probed || age >= probeEvery) this.#probed = { at: now, well: this.#probe(now) }
    return this.#probed.well.then((well) => well && this.#runtime.store.storageError === undefined)
  }

  async #probe(now: number): Promise<boolean> {
    const { store } = this.#runtime
    try {
      await store.change(() => setSetting(store.db, 'probed_at', now))
      return getSetting(store.db, 'root_id') !== undefined
    } catch {
      return false
    }
  }
}
