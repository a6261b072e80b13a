import { constants } from 'node:fs'
import * as fs from 'node:fs/promises'
import type { FileEntry, FileInput } from '../../contract/commands/files.ts'
import { FileError, inodesUsedUp } from '../../contract/error.ts'
import { type Directory, holding } from './directory.ts'
import { entryOf, ownEntry, refuseForeign, seen } from './entry.ts'
import { checkNewName, isWithin, type Parts, partsOf, refuseReserved, wrong } from './path.ts'
import { removeAll } from './remove.ts'
import { renameOver, renameToFree } from './rename.ts'
import { atPath, descend, type Home, makeParents } from './walk.ts'

export async function stat(home: Home, { path }: FileInput<'stat'>): Promise<FileEntry> {
  const parts = partsOf(path)
  return parts.length === 0 ? ownEntry(home.directory, parts) : atPath(home, parts, seen)
}

export async function makeDirectory(home: Home, input: FileInput<'makeDirectory'>): Promise<FileEntry> {
  const { path, parents, inodes = Number.POSITIVE_INFINITY } = input
  const parts = partsOf(path)
  checkNewName(parts, 'path')
  for (let depth = 1; depth < parts.length && parents; depth++) checkNewName(parts.slice(0, depth), 'path')
  if ((await missing(home.directory, parts)) > inodes) throw inodesUsedUp()
  if (parents) await (await makeParents(home, parts.slice(0, -1))).close()
  return atPath(home, parts, async (place) => {
    await place.parent.makeDirectory(place.name)
    return seen(place)
  })
}

/** How many directories of this path do not exist. What is wrong with it is said by who makes them. */
async function missing(above: Directory, [part, ...below]: Parts): Promise<number> {
  if (!part) return 0
  if (!(await above.find(part))) return 1 + below.length
  return holding(above.down(part), (directory) => missing(directory, below)).catch(() => 0)
}

export async function move(home: Home, { from, to, overwrite }: FileInput<'move'>): Promise<FileEntry> {
  const [source, target] = [partsOf(from, 'from'), partsOf(to, 'to')]
  refuseMoves(source, target)
  return atPath(
    home,
    source,
    (directory) =>
      atPath(
        home,
        target,
        async (there) => {
          const stats = await directory.parent.lstat(directory.name)
          refuseForeign(home, stats)
          await (overwrite ? renameOver(directory, there) : renameToFree(directory, there, stats))
          return seen(there)
        },
        'to',
      ),
    'from',
  )
}

function refuseMoves(source: Parts, target: Parts): void {
  refuseReserved(source)
  refuseReserved(target)
  checkNewName(target, 'to')
  if (isWithin(target, source)) throw wrong('to', 'is the directory itself or lies in it')
}

const O_PATH = 0o10000000

/** Through a descriptor of the checked file: the name could refer to another by then. */
export async function chmod(home: Home, { path, mode }: FileInput<'chmod'>): Promise<FileEntry> {
  const parts = partsOf(path)
  refuseReserved(parts)
  return atPath(home, parts, async (place) => {
    const handle = await fs.open(place.parent.place(place.name), O_PATH | constants.O_NOFOLLOW)
    try {
      const stats = await handle.stat({ bigint: true })
      if (stats.isSymbolicLink()) throw wrong('path', 'is a link, which has no permissions of its own')
      refuseForeign(home, stats)
      await fs.chmod(`/proc/self/fd/${handle.fd}`, Number.parseInt(mode, 8))
      return await entryOf(place, await handle.stat({ bigint: true }))
    } finally {
      await handle.close()
    }
  })
}

/** The directory at a path, for operations on its content. */
export const directoryOf = (home: Home, path: string, field: string) => descend(home, partsOf(path, field), field)

export async function remove(home: Home, { path }: FileInput<'remove'>, signal?: AbortSignal): Promise<null> {
  const parts = partsOf(path)
  refuseReserved(parts)
  await atPath(home, parts, async ({ parent, name }) => {
    const stats = await parent.find(name)
    if (!stats) return
    refuseForeign(home, stats)
    await removeAll(parent, name, { signal })
  }).catch((error: unknown) => {
    if (!(error instanceof FileError) || error.reason !== 'not-found') throw error
  })
  return null
}
