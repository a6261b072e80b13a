import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Revision } from '../../contract/client.ts'

const folder = 'var/lib/panel-host/generations'

/** The newest order that this host has had for each account, deleted ones included. */
export class Ledger {
  readonly #folder: string
  #made = false

  constructor(root: string) {
    this.#folder = join(root, folder)
  }

  /**
   * Returns whether the order is at least as new as the last one, which it then replaces. Two lives of one epoch do not
   * compare.
   */
  accept(id: string, order: Revision, life?: string): boolean {
    const last = this.#last(id)
    const compares = last && (last.epoch !== order.epoch || !last.life || !life || last.life === life)
    if (compares && isOlder(order, last)) return false
    if (!compares || isOlder(last, order)) this.#write(id, order, life)
    return true
  }

  #last(id: string): (Revision & { readonly life: string | undefined }) | undefined {
    try {
      const [first, second, life] = readFileSync(join(this.#folder, id), 'utf8').trim().split(' ')
      const [epoch, generation] = [Number(first), Number(second)]
      return Number.isSafeInteger(epoch) && Number.isSafeInteger(generation) ? { epoch, generation, life } : undefined
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      throw error
    }
  }

  /** Not fsynced itself: the record of the change that follows holds the order too, and survives a power loss. */
  #write(id: string, { epoch, generation }: Revision, life = ''): void {
    if (!this.#made) mkdirSync(this.#folder, { recursive: true, mode: 0o700 })
    this.#made = true
    const path = join(this.#folder, id)
    writeFileSync(`${path}.panel-new`, `${`${epoch} ${generation} ${life}`.trimEnd()}\n`, { mode: 0o600 })
    renameSync(`${path}.panel-new`, path)
  }
}

export const isOlder = (one: Revision, other: Revision): boolean =>
  one.epoch < other.epoch || (one.epoch === other.epoch && one.generation < other.generation)
