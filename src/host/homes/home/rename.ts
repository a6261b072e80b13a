import type { BigIntStats } from 'node:fs'
import { FileError } from '../../contract/error.ts'
import type { Directory } from './directory.ts'

/** An entry of an open directory. */
export interface RenamePath {
  readonly parent: Directory
  readonly name: Buffer
}

/** Moves an entry to a name that must be free, even if another process creates that name at the same time. */
export async function renameToFree(from: RenamePath, to: RenamePath, stats: BigIntStats): Promise<void> {
  return stats.isDirectory() ? directoryToFree(from, to) : fileToFree(from, to)
}

/** Reserves the name with an empty directory: only an empty one can be replaced by another. */
async function directoryToFree(from: RenamePath, to: RenamePath): Promise<void> {
  await to.parent.makeDirectory(to.name, 0o700)
  try {
    await from.parent.rename(from.name, to.parent, to.name)
  } catch (error) {
    await to.parent.removeDirectory(to.name).catch(() => {})
    throw error
  }
}

/** A hard link fails if the target exists; then the old name is removed. */
async function fileToFree(from: RenamePath, to: RenamePath): Promise<void> {
  await from.parent.link(from.name, to.parent, to.name)
  await from.parent.unlink(from.name)
}

/** Moves an entry over an existing one; a directory can replace only an empty one. */
export async function renameOver(from: RenamePath, to: RenamePath): Promise<void> {
  try {
    await from.parent.rename(from.name, to.parent, to.name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTDIR') throw error
    throw new FileError('exists', 'There is a file at this path, which a directory cannot replace.')
  }
}
