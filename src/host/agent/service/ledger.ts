import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Order } from '../../client.ts'

const folder = 'var/lib/panel-host/generations'

/** The newest order that this host was given of each account, those that are gone too. */
export class Ledger {
  readonly #folder: string
  #made = false

  constructor(root: string) {
    this.#folder = join(root, folder)
  }

  /** Whether the order is at least as new as the last one, which it replaces. */
  accept(id: string, order: Order): boolean {
    const last = this.#last(id)
    if (last && isOlder(order, last)) return false
    if (!last || isOlder(last, order)) this.#write(id, order)
    return true
  }

  #last(id: string): Order | undefined {
    try {
      const [epoch, generation] = readFileSync(join(this.#folder, id), 'utf8').split(' ').map(Number)
      return Number.isSafeInteger(epoch) && Number.isSafeInteger(generation)
        ? { epoch: epoch!, generation: generation! }
        : undefined
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  /** Not flushed by itself: the record of the change that follows holds the order too, and is told after a loss of power. */
  #write(id: string, { epoch, generation }: Order): void {
    if (!this.#made) mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    this.#made = true
    const path = join(this.#folder, id)
    writeFileSync(`${path}.panel-new`, `${epoch} ${generation}\n`, { mode: 0o600 })
    renameSync(`${path}.panel-new`, path)
  }
}

const isOlder = (one: Order, other: Order): boolean =>
  one.epoch < other.epoch || (one.epoch === other.epoch && one.generation < other.generation)
