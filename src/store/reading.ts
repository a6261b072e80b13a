import type Database from 'better-sqlite3'

/** Maximum milliseconds for one snapshot: then checkpoints can proceed, and other processes' writes become visible. */
const MAX_READ_MS = 50

/**
 * Keeps one read transaction open across the requests between two changes, so that not every statement takes its locks
 * anew: for a small one that is 1.5 of 2.4 microseconds. A change ends it first, so that later reads see what was
 * committed.
 */
export class Reading {
  readonly #sqlite: Database.Database
  readonly #begin: Database.Statement
  readonly #end: Database.Statement
  #timer: NodeJS.Timeout | undefined

  constructor(sqlite: Database.Database) {
    this.#sqlite = sqlite
    this.#begin = sqlite.prepare('BEGIN')
    this.#end = sqlite.prepare('COMMIT')
  }

  hold(): void {
    if (this.#timer || this.#sqlite.inTransaction) return
    this.#begin.run()
    this.#timer = setTimeout(() => this.release(), MAX_READ_MS).unref()
  }

  release(): void {
    if (!this.#timer) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#sqlite.open && this.#sqlite.inTransaction) this.#end.run()
  }
}
