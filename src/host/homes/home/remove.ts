import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import * as fs from 'node:fs/promises'
import type { Directory } from './directory.ts'

/** The maximum number of open levels; what lies deeper is moved up first. */
const deepest = 50
/** Starts the names of what is being removed. They never grow, however deep the tree is. */
export const removalPrefix = 'gone.'

export interface Removal {
  readonly signal?: AbortSignal | undefined
  /** Called before each entry. */
  readonly step?: (() => Promise<void>) | undefined
}

/** Permanently removes an entry and all below it; resumable. */
export async function removeAll(parent: Directory, name: Buffer, removal: Removal = {}): Promise<void> {
  const { dev } = await parent.stat()
  await new Remover(parent, dev, removal).remove(name)
}

/** Removes entries of one directory. What is moved up comes to lie in that directory, on its own file system. */
class Remover {
  readonly #parent: Directory
  readonly #dev: bigint
  readonly #removal: Removal
  readonly #prefix = `${removalPrefix}${randomBytes(6).toString('hex')}.`
  #moved = 0

  constructor(parent: Directory, dev: bigint, removal: Removal) {
    this.#parent = parent
    this.#dev = dev
    this.#removal = removal
  }

  /** What was moved up is removed afterwards: nested removals would keep too many directories open. */
  async remove(name: Buffer): Promise<void> {
    let removed = this.#moved
    await this.#clear(this.#parent, name, 0)
    while (removed < this.#moved) await this.#clear(this.#parent, this.#nameOf(removed++), 0)
  }

  async #clear(above: Directory, name: Buffer, depth: number): Promise<void> {
    this.#removal.signal?.throwIfAborted()
    await this.#removal.step?.()
    const stats = await above.find(name)
    if (!stats) return
    if (!stats.isDirectory()) return above.unlink(name)
    if (depth > deepest) return above.rename(name, this.#parent, this.#nameOf(this.#moved++))
    await opened(above, name, async (directory) => {
      // A subvolume of btrfs: nothing can be renamed out of it.
      const inner = stats.dev === this.#dev ? this : new Remover(directory, stats.dev, this.#removal)
      for await (const child of directory.names())
        await (inner === this ? this.#clear(directory, child, depth + 1) : inner.remove(child))
    })
    await above.removeDirectory(name)
  }

  #nameOf(number: number): Buffer {
    return Buffer.from(`${this.#prefix}${number}`)
  }
}

async function opened(above: Directory, name: Buffer, act: (directory: Directory) => Promise<void>): Promise<void> {
  const directory = await above.down(name)
  try {
    await act(directory).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EACCES') throw error
      await makeReadable(above, name)
      await act(directory)
    })
  } finally {
    await directory.close()
  }
}

const O_PATH = 0o10000000

/** Its owner may have removed his own access. */
async function makeReadable(above: Directory, name: Buffer): Promise<void> {
  const handle = await fs.open(above.place(name), O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    await fs.chmod(`/proc/self/fd/${handle.fd}`, 0o700)
  } finally {
    await handle.close()
  }
}
