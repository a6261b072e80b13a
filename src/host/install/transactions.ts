import { setImmediate as nextTurn } from 'node:timers/promises'
import { KeyedLock } from '../../shared/lock.ts'
import { accountOf, keysOf } from './account.ts'
import { AppliedLog, type AppliedRecord } from './applied.ts'
import { type Checks, type FailPoint, install } from './engine.ts'
import { settle, unsettled } from './journal.ts'
import type { Owners } from './owners.ts'
import { isEmpty, type Plan, refuseErrors } from './plan.ts'
import { Tree } from './tree.ts'
import { withUserMessage } from './user-message.ts'

export interface TransactionsOptions {
  /** The owners of new files. */
  readonly owners?: Owners
  readonly checks?: Checks
  /** Called before each step of an installation, so that a test can stop there. */
  readonly onFailPoint?: FailPoint
  /** Identifies the current boot. */
  readonly boot?: string
}

export interface Doing<P extends Plan> {
  readonly signal?: AbortSignal | undefined
  /** The part of a plan that suffices to redo it. */
  readonly record?: (plan: P) => AppliedRecord
}

/** Executes plans, each all or nothing, even if interrupted. */
export class Transactions {
  readonly applied: AppliedLog
  readonly #root: string
  readonly #options: TransactionsOptions
  readonly #lock = new KeyedLock()
  /** The keys of journals left to settle; undefined until loaded. */
  #left: Set<string> | undefined

  constructor(root: string, options: TransactionsOptions) {
    this.#root = root
    this.#options = options
    this.applied = new AppliedLog(root, options.boot)
  }

  /** Rolls back what a crash left half done, and returns the keys. */
  recover(): string[] {
    const undone = unsettled(this.#root).filter((key) => settle(this.#root, key))
    this.#left = new Set()
    return undone
  }

  /** Serializes work for one key. */
  inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#lock.run(key, () => withUserMessage('stage', work))
  }

  /** Plans and installs, after settling what was left half done. */
  async execute<P extends Plan>(key: string, plan: (tree: Tree) => P, doing: Doing<P> = {}): Promise<P> {
    await nextTurn()
    doing.signal?.throwIfAborted()
    for (const left of keysOf(accountOf(key))) this.#settle(left)
    const tree = new Tree(this.#root, this.#options.owners)
    const planned = plan(tree)
    refuseErrors(planned)
    if (!isEmpty(planned)) await this.#install(tree, planned, doing)
    return planned
  }

  /** Plans that move directories are synced at once: redoing a move later could move what is there by then. */
  async #install<P extends Plan>(tree: Tree, plan: P, { signal, record }: Doing<P>): Promise<void> {
    const { checks, onFailPoint, owners } = this.#options
    const take = record && (() => this.applied.add(record(plan)))
    const lazily = take !== undefined && plan.moves.length === 0
    try {
      await install(tree, plan, { checks, onFailPoint, owners, signal, record: take, lazily })
    } catch (error) {
      this.#left?.add(plan.key)
      throw error
    }
  }

  /** Only a crash or a failed installation leaves journals behind. */
  #settle(key: string): void {
    this.#left ??= new Set(unsettled(this.#root))
    if (!this.#left.has(key)) return
    settle(this.#root, key)
    this.#left.delete(key)
  }
}
