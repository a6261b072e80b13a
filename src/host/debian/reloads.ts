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

interface DaemonReload {
  readonly reload: Reload
  readonly runs: Coalesced
  /** Files that were noted and not settled yet, by the number of their note. */
  readonly noted: Map<string, number>
  /** The notes up to this one have been read. */
  read: number
  /** The notes that the reload in progress reads. */
  reading?: { readonly count: number; readonly done: Promise<void> } | undefined
}

/**
 * Reloads daemons after changes: one reload of each at a time, and later requests share the next. Files that a reload
 * for others has read, or reads, since they were noted need none.
 */
export class Reloads {
  readonly #pending: PendingReloads
  readonly #all: readonly DaemonReload[]
  /** Files that a daemon has yet to read, without those of earlier processes. */
  readonly #changed = new Map<string, Set<string>>()

  constructor(reloads: readonly Reload[], pending: PendingReloads) {
    this.#pending = pending
    this.#all = reloads.map((reload) => {
      const own: DaemonReload = { reload, runs: new Coalesced(() => this.#track(own)), noted: new Map(), read: 0 }
      return own
    })
    const known = new Set(pending.names())
    for (const { name } of reloads) if (!known.has(name)) this.#changed.set(name, new Set())
  }

  /** Files were replaced; their daemons will be reloaded soon. */
  note(paths: readonly string[]): void {
    for (const { reload, noted } of this.#all) {
      const read = paths.filter((path) => reload.reads(path))
      if (read.length === 0) continue
      this.#pending.note(reload.name)
      for (const path of read) noted.set(path, this.#pending.countOf(reload.name))
      for (const path of read) this.#changed.get(reload.name)?.add(path)
    }
  }

  /** Reloads the daemons for these files, and for those that an earlier attempt failed to reload. */
  async settle(paths: readonly string[]): Promise<void> {
    const pending = new Set(this.#pending.names())
    const due = this.#all.filter(({ reload }) => pending.has(reload.name) || paths.some((path) => reload.reads(path)))
    await allSettled(due.map((one) => this.#reach(one, paths)))
  }

  #reach(one: DaemonReload, paths: readonly string[]): Promise<void> | undefined {
    const last = lastNoteOf(one, paths)
    if (last !== undefined && last <= one.read) return undefined
    const { reading } = one
    return last !== undefined && reading && last <= reading.count ? reading.done : one.runs.run()
  }

  #track(one: DaemonReload): Promise<void> {
    const count = this.#pending.countOf(one.reload.name)
    const done = this.#run(one.reload).then(() => {
      one.read = Math.max(one.read, count)
    })
    const reading = { count, done }
    one.reading = reading
    return done.finally(() => {
      if (one.reading === reading) one.reading = undefined
    })
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

/** The last note of these files, each of which counts once; undefined if one of them was not noted. */
function lastNoteOf({ reload, noted }: DaemonReload, paths: readonly string[]): number | undefined {
  const notes = paths
    .filter((path) => reload.reads(path))
    .map((path) => {
      const note = noted.get(path)
      noted.delete(path)
      return note
    })
  const known = notes.filter((note) => note !== undefined)
  return known.length === notes.length && known.length > 0 ? Math.max(...known) : undefined
}
