import type { Db } from '../store/open.ts'
import type { Runtime } from './runtime.ts'

const writeEvery = 60_000

export interface Touch {
  at: number
  address: string | undefined
}

/** When things were last used: known at once, written at most once a minute. */
export class Touches {
  readonly #runtime: Runtime
  readonly #write: (db: Db, id: string, touch: Touch) => void
  readonly #touches = new Map<string, Touch & { written: number }>()
  #cancel: (() => void) | undefined

  constructor(runtime: Runtime, write: (db: Db, id: string, touch: Touch) => void) {
    this.#runtime = runtime
    this.#write = write
  }

  get(id: string): Touch | undefined {
    return this.#touches.get(id)
  }

  note(id: string, address: string | undefined): void {
    this.#touches.set(id, { at: this.#runtime.clock.now(), address, written: this.#touches.get(id)?.written ?? 0 })
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

  /** Writes what is not yet written, and forgets what was not used since. */
  async flush(): Promise<void> {
    this.#cancel?.()
    this.#cancel = undefined
    const due = [...this.#touches].filter(([, touch]) => touch.at > touch.written)
    for (const [id, touch] of this.#touches) if (touch.at <= touch.written) this.#touches.delete(id)
    if (due.length === 0) return
    await this.#runtime.store.change(() => {
      for (const [id, touch] of due) this.#write(this.#runtime.store.db, id, touch)
    })
    for (const [, touch] of due) touch.written = touch.at
  }
}

/** One for each runtime. */
export function touchesOf(write: (db: Db, id: string, touch: Touch) => void): (runtime: Runtime) => Touches {
  const all = new WeakMap<Runtime, Touches>()
  return (runtime) => {
    let touches = all.get(runtime)
    if (!touches) {
      touches = new Touches(runtime, write)
      all.set(runtime, touches)
    }
    return touches
  }
}
