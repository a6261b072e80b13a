import type Database from 'better-sqlite3'

/** No promise may leave a change: what it awaits would run outside the transaction. */
export type Sync<T> = T extends PromiseLike<unknown> ? never : T

interface Queued {
  run(): void
  committed(): void
  failed(error: unknown): void
}

/**
 * Groups the changes of one event-loop turn into one transaction with a savepoint each: one fsync for all.
 * A change that throws is undone alone; a failed COMMIT fails the whole group. Answers leave after COMMIT.
 */
export class Changes {
  readonly #sqlite: Database.Database
  #queue: Queued[] = []
  #hooks: (() => void)[] | undefined

  constructor(sqlite: Database.Database) {
    this.#sqlite = sqlite
  }

  run<T>(work: () => Sync<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (this.#queue.length === 0) setImmediate(() => this.#flush())
      this.#queue.push(this.#queued(work as () => T, resolve, reject))
    })
  }

  afterCommit(act: () => void): void {
    if (!this.#hooks) throw new Error('afterCommit outside a change')
    this.#hooks.push(act)
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
    this.#sqlite.exec('SAVEPOINT change')
    try {
      const answer = work()
      if (isPromise(answer)) throw new Error('A change must be synchronous')
      this.#sqlite.exec('RELEASE change')
      return answer
    } catch (error) {
      if (this.#sqlite.inTransaction) this.#sqlite.exec('ROLLBACK TO change; RELEASE change')
      throw error
    }
  }

  #flush(): void {
    const group = this.#queue
    this.#queue = []
    try {
      this.#commit(group)
    } catch (error) {
      this.#abandon()
      for (const queued of group) queued.failed(error)
      return
    }
    for (const queued of group) queued.committed()
  }

  #commit(group: readonly Queued[]): void {
    this.#sqlite.exec('PRAGMA query_only = OFF; BEGIN IMMEDIATE')
    for (const queued of group) {
      queued.run()
      // A full disk or an I/O error rolls back the outer transaction, and with it the changes before.
      if (!this.#sqlite.inTransaction) throw new LostTransaction()
    }
    this.#sqlite.exec('COMMIT; PRAGMA query_only = ON')
  }

  #abandon(): void {
    if (!this.#sqlite.open) return
    if (!this.#sqlite.open) return
    if (this.#sqlite.inTransaction) this.#sqlite.exec('ROLLBACK')
    this.#sqlite.exec('PRAGMA query_only = ON')
  }
}

/** SQLite gave up the transaction that the group shared. */
export class LostTransaction extends Error {
  readonly code = 'SQLITE_FULL'
  constructor() {
    super('The transaction was rolled back: the disk is full or failed.')
  }
}

function isPromise(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
