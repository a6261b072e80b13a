import { allSettled } from '../../shared/async/all-settled.ts'
import { Coalesced } from '../../shared/async/coalesce.ts'
import type { PendingReloads } from './pending-reloads.ts'

/** Makes a daemon read changed files. */
export interface Reload {
  readonly name: string
  /** Whether it reads this file. */
  reads(path: string): boolean
  /** `paths`: the changed files; undefined if unknown. */
  run(paths: ReadonlySet<string> | undefined): Promise<void>
}

/** Reloads daemons after changes: one reload of each at a time, and later requests share the next. */
export class Reloads {
  readonly #pending: PendingReloads
  readonly #all: readonly { readonly reload: Reload; readonly turn: Coalesced }[]
  /** Files that a daemon has yet to read, without those of earlier processes. */
  readonly #changed = new Map<string, Set<string>>()

  constructor(reloads: readonly Reload[], pending: PendingReloads) {
    this.#pending = pending
    this.#all = reloads.map((reload) => ({ reload, turn: new Coalesced(() => this.#run(reload)) }))
    const known = new Set(pending.names())
    for (const { name } of reloads) if (!known.has(name)) this.#changed.set(name, new Set())
  }

  /** Files were replaced; their daemons will be reloaded soon. */
  note(paths: readonly string[]): void {
    for (const { reload } of this.#all) {
      const read = paths.filter((path) => reload.reads(path))
      if (read.length === 0) continue
      this.#pending.note(reload.name)
      for (const path of read) this.#changed.get(reload.name)?.add(path)
    }
  }

  /** Reloads the daemons for these files, and for those that an earlier attempt failed to reload. */
  async settle(paths: readonly string[]): Promise<void> {
    const pending = new Set(this.#pending.names())
    const due = this.#all.filter(({ reload }) => pending.has(reload.name) || paths.some((path) => reload.reads(path)))
    await allSettled(due.map(({ turn }) => turn.run()))
  }

  async #run({ name, run }: Reload): Promise<void> {
    const count = this.#pending.countOf(name)
    const paths = this.#changed.get(name)
    this.#changed.set(name, new Set())
    try {
      await run(paths)
    } catch (error) {
      this.#changed.delete(name)
      throw error
    }
    this.#pending.paid(name, count)
  }
}
