import type { Db } from '../../store/open.ts'
import type { Runtime } from '../runtime.ts'

const writeEvery = 60_000

export interface UsedToken {
  at: number
  address: string | undefined
}

/** Tracks when things were last used: known at once, written at most once a minute. */
export class LastUsedTracker {
  readonly #runtime: Runtime
  readonly #write: (db: Db, id: string, use: UsedToken) => void
  readonly #uses = new Map<string, UsedToken & { written: number }>()
  #cancel: (() => void) | undefined

  constructor(runtime: Runtime, write: (db: Db, id: string, use: UsedToken) => void) {
    this.#runtime = runtime
    this.#write = write
  }

  get(id: string): UsedToken | undefined {
    return this.#uses.get(id)
  }

  record(id: string, address: string | undefined): void {
    this.#uses.set(id, { at: this.#runtime.clock.now(), address, written: this.#uses.get(id)?.written ?? 0 })
    this.#cancel ??= this.#runtime.clock.after(writeEvery, () => void this.#flushLater())
  }

  async #flushLater(): Promise<void> {
    try {
      await this.flush()
    } catch (error) {
      this.#runtime.log.error(
        { err: error },
        'last-used times could not be written; they are kept for the next attempt',
      )
    }
  }

  /** Writes pending times, and forgets entries not used since. */
  async flush(): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    const due = [...this.#uses].filter(([, use]) => use.at > use.written)
    for (const [id, use] of this.#uses) if (use.at <= use.written) this.#uses.delete(id)
    if (due.length === 0) return
    await this.#runtime.store.change(() => {
      for (const [id, use] of due) this.#write(this.#runtime.store.db, id, use)
    })
    for (const [, use] of due) use.written = use.at
  }
}

export function lastUsedTracker(
  write: (db: Db, id: string, use: UsedToken) => void,
): (runtime: Runtime) => LastUsedTracker {
  const all = new WeakMap<Runtime, LastUsedTracker>()
  return (runtime) => {
    let tracker = all.get(runtime)
    if (!tracker) {
      tracker = new LastUsedTracker(runtime, write)
      all.set(runtime, tracker)
    }
    return tracker
  }
}
