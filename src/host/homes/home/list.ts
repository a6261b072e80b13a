import type { FileEntry, FileInput, FileList } from '../../contract/commands/files.ts'
import { FileError } from '../../contract/error.ts'
import type { Directory } from './directory.ts'
import { entryOf } from './entry.ts'
import { withFileErrors } from './error.ts'
import { type Parts, partsOf } from './path.ts'
import { Smallest } from './smallest.ts'
import { descend, type Home } from './walk.ts'

/** A page of a directory, sorted by bytes of the names; keeps only a page's worth of names in memory. */
export async function list(home: Home, { path, limit, after }: FileInput<'list'>): Promise<FileList> {
  const parts = partsOf(path)
  const directory = await directoryAt(home, parts)
  try {
    return await withFileErrors(() =>
      pageOf(
        directory,
        parts,
        limit,
        after === undefined ? undefined : Buffer.from(after, 'base64').toString('latin1'),
      ),
    )
  } finally {
    await directory.close()
  }
}

async function directoryAt(home: Home, parts: Parts): Promise<Directory> {
  try {
    return await descend(home, parts)
  } catch (error) {
    if (error instanceof FileError && error.message === notDirectory)
      throw new FileError('validation', 'path: is not a directory', 'path')
    throw error
  }
}

const notDirectory = 'A part of the path is not a directory.'

async function pageOf(directory: Directory, parts: Parts, limit: number, after: string | undefined): Promise<FileList> {
  const first = new Smallest(limit + 1)
  let total = 0
  for await (const names of directory.batches()) {
    total += names.length
    for (const name of names) if (after === undefined || name > after) first.offer(name)
  }
  const names = first.sorted()
  const visible = names.slice(0, limit).map((name) => Buffer.from(name, 'latin1'))
  const items: FileEntry[] = []
  for (const name of visible) {
    const stats = await directory.find(name)
    if (stats) items.push(await entryOf({ parent: directory, name, parts: [...parts, name] }, stats))
  }
  return { items, total, ...(names.length > limit && { next: visible.at(-1)!.toString('base64') }) }
}
