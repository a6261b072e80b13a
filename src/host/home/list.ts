import { FileFault } from '../error.ts'
import type { FileEntry, FileList, Told } from '../files.ts'
import type { Directory } from './directory.ts'
import { entryOf } from './entry.ts'
import { withFaults } from './fault.ts'
import { type Parts, partsOf } from './path.ts'
import { descend, type Home } from './walk.ts'

/** A page of a directory in the order of its names' bytes; as many names are kept as the page has, however many there are. */
export async function list(home: Home, { path, limit, after }: Told<'list'>): Promise<FileList> {
  const parts = partsOf(path)
  const directory = await directoryAt(home, parts)
  try {
    return await withFaults(() =>
      pageOf(directory, parts, limit, after === undefined ? undefined : Buffer.from(after, 'base64')),
    )
  } finally {
    await directory.close()
  }
}

async function directoryAt(home: Home, parts: Parts): Promise<Directory> {
  try {
    return await descend(home, parts)
  } catch (error) {
    if (error instanceof FileFault && error.message === notDirectory)
      throw new FileFault('validation', 'path: is not a directory', 'path')
    throw error
  }
}

const notDirectory = 'A part of the path is not a directory.'

async function pageOf(directory: Directory, parts: Parts, limit: number, after: Buffer | undefined): Promise<FileList> {
  const first = new Smallest(limit + 1)
  let total = 0
  for await (const name of directory.names()) {
    total++
    if (!after || Buffer.compare(name, after) > 0) first.offer(name)
  }
  const names = first.sorted()
  const shown = names.slice(0, limit)
  const items: FileEntry[] = []
  for (const name of shown) {
    const stats = await directory.find(name)
    if (stats) items.push(await entryOf({ parent: directory, name, parts: [...parts, name] }, stats))
  }
  return { items, total, ...(names.length > limit && { next: shown.at(-1)!.toString('base64') }) }
}

/** The first so many of all that are offered; sorted when there are twice as many. */
class Smallest {
  readonly #most: number
  #kept: Buffer[] = []
  #bound: Buffer | undefined

  constructor(most: number) {
    this.#most = most
  }

  offer(name: Buffer): void {
    if (this.#bound && Buffer.compare(name, this.#bound) >= 0) return
    this.#kept.push(name)
    if (this.#kept.length >= 2 * this.#most) this.sorted()
  }

  sorted(): Buffer[] {
    this.#kept = this.#kept.sort(Buffer.compare).slice(0, this.#most)
    if (this.#kept.length === this.#most) this.#bound = this.#kept.at(-1)
    return this.#kept
  }
}
