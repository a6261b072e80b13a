import { eq } from 'drizzle-orm'
import type { Runtime } from '../../runtime/runtime.ts'
import { tokens } from './tables.ts'

const writeEvery = 60_000

interface Use {
  at: number
  ip: string | undefined
  written: number
}

/** When each token was last used: shown at once, written at most once a minute. */
export class LastUses {
  readonly #runtime: Runtime
  readonly #uses = new Map<string, Use>()
  #planned = false

  constructor(runtime: Runtime) {
    this.#runtime = runtime
  }

  get(id: string): Use | undefined {
    return this.#uses.get(id)
  }

  note(id: string, ip: string | undefined): void {
    const at = this.#runtime.clock.now()
    const use = this.#uses.get(id)
    if (use) Object.assign(use, { at, ip })
    else this.#uses.set(id, { at, ip, written: 0 })
    if (this.#planned) return
    this.#planned = true
    this.#runtime.clock.after(writeEvery, () => void this.write())
  }

  /** Writes what is not yet written. */
  async write(): Promise<void> {
    this.#planned = false
    const due = [...this.#uses].filter(([, use]) => use.at > use.written)
    if (due.length === 0) return
    await this.#runtime.store.change(() => {
      for (const [id, use] of due)
        this.#runtime.store.db
          .update(tokens)
          .set({ last_used_at: use.at, last_used_ip: use.ip ?? null })
          .where(eq(tokens.id, id))
          .run()
    })
    for (const [, use] of due) use.written = use.at
  }
}

const all = new WeakMap<Runtime, LastUses>()

export function lastUses(runtime: Runtime): LastUses {
  let uses = all.get(runtime)
  if (!uses) {
    uses = new LastUses(runtime)
    all.set(runtime, uses)
  }
  return uses
}
