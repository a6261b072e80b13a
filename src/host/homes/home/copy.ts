import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { FileInput } from '../../contract/commands/files.ts'
import { inodesUsedUp, quotaUsedUp } from '../../contract/error.ts'
import { writeSparse } from '../archive/sparse.ts'
import { Unoccupied } from '../archive/unoccupied.ts'
import { type Directory, holding } from './directory.ts'
import { refuseForeign } from './entry.ts'
import { withFileErrors } from './error.ts'
import { checkNewName, isWithin, partsOf, refuseReserved, wrong } from './path.ts'
import { removeAll } from './remove.ts'
import { renameToFree } from './rename.ts'
import { atPath, type Home } from './walk.ts'
import { workDirectory } from './write.ts'

const deepest = 64
const chunk = 256 * 1024

/** Copies a file or a whole directory: built aside, then moved into place, where nothing may exist. */
export async function copy(home: Home, input: FileInput<'copy'>, signal?: AbortSignal): Promise<{ files: number }> {
  const [source, target] = [partsOf(input.from, 'from'), partsOf(input.to, 'to')]
  checkNewName(target, 'to')
  refuseReserved(target)
  if (isWithin(target, source)) throw wrong('to', 'is the directory itself or lies in it')
  const name = Buffer.from(`copy-${input.id}`)
  return holding(workDirectory(home), async (work) => {
    await removeAll(work, name, { signal })
    const copying = new Copying(home, input, signal)
    try {
      await atPath(home, source, (from) => copying.one(from.parent, from.name, work, name, 0), 'from')
      const place = async (there: { parent: Directory; name: Buffer }) =>
        renameToFree({ parent: work, name }, there, await work.lstat(name))
      await atPath(home, target, place, 'to')
      return { files: copying.files }
    } catch (error) {
      await removeAll(work, name).catch(() => {})
      throw error
    }
  })
}

class Copying {
  files = 0
  #left: number
  #inodesLeft: number
  readonly #home: Home
  readonly #signal: AbortSignal | undefined
  readonly #unoccupied = new Unoccupied()

  constructor(home: Home, { room, inodes }: FileInput<'copy'>, signal: AbortSignal | undefined) {
    this.#home = home
    this.#left = room ?? Number.POSITIVE_INFINITY
    this.#inodesLeft = inodes ?? Number.POSITIVE_INFINITY
    this.#signal = signal
  }

  /** Symlinks are copied as symlinks; devices, sockets and pipes are skipped. */
  async one(from: Directory, name: Buffer, to: Directory, as: Buffer, depth: number): Promise<void> {
    this.#signal?.throwIfAborted()
    const stats = await from.lstat(name)
    refuseForeign(this.#home, stats)
    if (--this.#inodesLeft < 0) throw inodesUsedUp()
    if (stats.isDirectory()) return this.#directory(from, name, to, as, depth, stats)
    if (stats.isSymbolicLink()) await to.symlink(await from.readlink(name), as)
    else if (stats.isFile()) await withFileErrors(() => this.#file(from, name, to, as))
    this.files++
  }

  async #directory(
    from: Directory,
    name: Buffer,
    to: Directory,
    as: Buffer,
    depth: number,
    stats: BigIntStats,
  ): Promise<void> {
    if (depth > deepest) throw wrong('from', `is more than ${deepest} directories deep`)
    await to.makeDirectory(as, 0o700)
    await holding(from.down(name), (source) =>
      holding(to.down(as), async (target) => {
        for await (const inner of source.names()) await this.one(source, inner, target, inner, depth + 1)
        await target.chmod(Number(stats.mode & 0o777n))
      }),
    )
  }

  async #file(from: Directory, name: Buffer, to: Directory, as: Buffer): Promise<void> {
    const source = await from.openToRead(name)
    try {
      const stats = await source.stat({ bigint: true })
      if (!stats.isFile()) return
      if (!this.#unoccupied.take(stats)) throw wrong('from', 'contains more than 64 GiB of holes and hard links')
      const size = Number(stats.size)
      const target = await to.create(as)
      try {
        await writeSparse(target, { size, content: () => contentOf(source, size) }, (bytes) => this.#take(bytes))
        await target.chmod(Number(stats.mode & 0o777n))
      } finally {
        await target.close()
      }
    } finally {
      await source.close()
    }
  }

  #take(bytes: number): void {
    this.#signal?.throwIfAborted()
    this.#left -= bytes
    if (this.#left < 0) throw quotaUsedUp()
  }
}

/** No more than its size: a file that grows meanwhile is copied as it was. */
async function* contentOf(source: FileHandle, size: number): AsyncGenerator<Buffer> {
  if (size === 0) return
  const options = { highWaterMark: chunk, autoClose: false, start: 0, end: size - 1 }
  yield* source.createReadStream(options) as AsyncIterable<Buffer>
}
