import type Database from 'better-sqlite3'
import type { StoreFailPoint } from './fail-points.ts'
import type { Reading } from './reading.ts'
import { isStorageError, LostTransaction } from './storage-error.ts'

/** A change must not return a promise: what it awaits would run outside the transaction. */
export type Sync<T> = T extends PromiseLike<unknown> ? never : T

interface Queued {
  /** Returns the error that undid it, if any. */
  run(): unknown
  committed(): void
  failed(error: unknown): void
}

/**
 * Milliseconds of work per event-loop turn. Node.js accepts one connection per turn, so long turns make new connections
 * queue until they time out.
 */
const MAX_GROUP_MS = 20

/**
 * Groups the changes of one event-loop turn into one transaction with a savepoint each: one fsync for all that fit into
 * the time limit; the rest share the next. A change that throws is rolled back alone; a failed COMMIT fails the whole
 * group. Promises resolve after COMMIT.
 */
export class Changes {
  readonly #sqlite: Database.Database
  readonly #onFailPoint: StoreFailPoint
  readonly #reading: Reading
  readonly #written: Database.Statement<[], number>
  readonly #begin: Database.Statement
  readonly #release: Database.Statement
  readonly #queue: Queued[] = []
  #isScheduled = false
  #hooks: (() => void)[] | undefined
  #storageError: unknown
  #refusals = 0
  #version = 0

  constructor(sqlite: Database.Database, reading: Reading, onFailPoint: StoreFailPoint = () => {}) {
    this.#sqlite = sqlite
    this.#reading = reading
    this.#onFailPoint = onFailPoint
    this.#begin = sqlite.prepare('SAVEPOINT change')
    this.#release = sqlite.prepare('RELEASE change')
    this.#written = sqlite.prepare<[], number>('SELECT total_changes()').pluck()
  }

  get waiting(): number {
    return this.#queue.length
  }

  /** Why the last write failed; undefined once a write has succeeded. */
  get storageError(): unknown {
    return this.#storageError
  }

  /** Changes with every write. */
  get version(): number {
    return this.#version
  }

  run<T>(work: () => Sync<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(this.#queued(work as () => T, resolve, reject))
      this.#schedule()
    })
  }

  afterCommit(act: () => void): void {
    if (!this.#hooks) throw new Error('afterCommit outside a change')
    this.#hooks.push(act)
  }

  /** Inside a change: takes back what it wrote, and drops what it would do after the commit. */
  dryRun<T>(work: () => T): T {
    const hooks = this.#hooks
    if (!hooks) throw new Error('dryRun outside a change')
    this.#hooks = []
    this.#sqlite.exec('SAVEPOINT dry_run')
    try {
      return work()
    } finally {
      this.#hooks = hooks
      if (this.#sqlite.inTransaction) this.#sqlite.exec('ROLLBACK TO dry_run; RELEASE dry_run')
    }
  }

  #queued<T>(work: () => T, resolve: (value: T) => void, reject: (error: unknown) => void): Queued {
    let answer: T
    let hooks: (() => void)[] = []
    let error: { is: unknown } | undefined
    return {
      run: () => {
        this.#hooks = hooks
        try {
          answer = this.#savepoint(work)
        } catch (thrown) {
          error = { is: thrown }
          hooks = []
        } finally {
          this.#hooks = undefined
        }
        return error?.is
      },
      committed: () => {
        if (error) return reject(error.is)
        resolve(answer)
        for (const act of hooks) act()
      },
      failed: (thrown) => reject(error ? error.is : thrown),
    }
  }

  #savepoint<T>(work: () => T): T {
    this.#begin.run()
    try {
      const answer = work()
      if (isPromise(answer)) throw new Error('A change must be synchronous')
      this.#release.run()
      return answer
    } catch (error) {
      if (this.#sqlite.inTransaction) this.#sqlite.exec('ROLLBACK TO change; RELEASE change')
      throw error
    }
  }

  /** How many writes the disk has refused. */
  get refusals(): number {
    return this.#refusals
  }

  #schedule(): void {
    if (this.#isScheduled || this.#queue.length === 0) return
    this.#isScheduled = true
    setImmediate(() => this.#flush())
  }

  #flush(): void {
    this.#isScheduled = false
    const group: Queued[] = []
    const before = this.#storageError === undefined ? 0 : this.#written.get()!
    try {
      this.#commit(group)
    } catch (error) {
      this.#note(error)
      this.#abandon()
      for (const queued of [...group, ...this.#queue.splice(0)]) queued.failed(error)
      return
    } finally {
      this.#version++
      this.#schedule()
    }
    if (this.#storageError !== undefined && this.#written.get()! > before) this.#storageError = undefined
    this.#onFailPoint('after-commit')
    for (const queued of group) queued.committed()
  }

  /** Commits as many queued changes as fit into the time limit. */
  #commit(group: Queued[]): void {
    this.#reading.release()
    if (this.#sqlite.inTransaction) this.#sqlite.exec('ROLLBACK')
    this.#sqlite.exec('PRAGMA query_only = OFF; BEGIN IMMEDIATE')
    const until = performance.now() + MAX_GROUP_MS
    for (let left = this.#queue.length; left > 0 && performance.now() < until; left--) {
      const queued = this.#queue.shift()!
      group.push(queued)
      this.#version++
      const error = queued.run()
      // A full disk or an I/O error may roll back the outer transaction, including the earlier changes.
      if (!this.#sqlite.inTransaction) throw new LostTransaction(error)
      if (isStorageError(error)) throw error
    }
    this.#onFailPoint('before-commit')
    this.#sqlite.exec('COMMIT; PRAGMA query_only = ON')
  }

  #note(error: unknown): void {
    if (!isStorageError(error)) return
    this.#storageError = error
    this.#refusals++
  }

  /** If the disk prevents the rollback now, it happens before the next change. */
  #abandon(): void {
    try {
      if (!this.#sqlite.open) return
      if (this.#sqlite.inTransaction) this.#sqlite.exec('ROLLBACK')
      this.#sqlite.exec('PRAGMA query_only = ON')
    } catch (error) {
      this.#note(error)
    }
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
