import type { BigIntStats } from 'node:fs'
import { FileFault } from '../error.ts'
import type { Directory } from './directory.ts'

/** A name in a directory that is held open. */
export interface Named {
  readonly parent: Directory
  readonly name: Buffer
}

/** Moves an entry to a name that must be free, also if another process creates that name at the same time. */
export async function renameToFree(from: Named, to: Named, stats: BigIntStats): Promise<void> {
  return stats.isDirectory() ? directoryToFree(from, to) : fileToFree(from, to)
}

/** An empty directory holds the place: only that can be replaced by another directory. */
async function directoryToFree(from: Named, to: Named): Promise<void> {
  await to.parent.makeDirectory(to.name, 0o700)
  try {
    await from.parent.rename(from.name, to.parent, to.name)
  } catch (error) {
    await to.parent.removeDirectory(to.name).catch(() => {})
    throw error
  }
}

/** A second name is given only where there is none; then the first goes. */
async function fileToFree(from: Named, to: Named): Promise<void> {
  await from.parent.link(from.name, to.parent, to.name)
  await from.parent.unlink(from.name)
}

/** Moves to a name, in place of what is there; a directory takes the place of an empty one alone. */
export async function renameOver(from: Named, to: Named): Promise<void> {
  try {
    await from.parent.rename(from.name, to.parent, to.name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') throw error
    throw new FileFault('exists', 'There is a file at this path, which a directory cannot replace.')
  }
}
