import { constants } from 'node:fs'
import * as fs from 'node:fs/promises'
import type { FileEntry, Told } from '../files.ts'
import { entryOf, ownEntry, refuseForeign, seen } from './entry.ts'
import { checkNewName, isWithin, type Parts, partsOf, refuseKept, wrong } from './path.ts'
import { renameOver, renameToFree } from './rename.ts'
import { atPath, descend, type Home, makeWay } from './walk.ts'

export async function stat(home: Home, { path }: Told<'stat'>): Promise<FileEntry> {
  const parts = partsOf(path)
  return parts.length === 0 ? ownEntry(home.directory, parts) : atPath(home, parts, seen)
}

export async function makeDirectory(home: Home, { path, parents }: Told<'makeDirectory'>): Promise<FileEntry> {
  const parts = partsOf(path)
  checkNewName(parts, 'path')
  for (let depth = 1; depth < parts.length && parents; depth++) checkNewName(parts.slice(0, depth), 'path')
  if (parents) await (await makeWay(home, parts.slice(0, -1))).close()
  return atPath(home, parts, async (place) => {
    await place.parent.makeDirectory(place.name)
    return seen(place)
  })
}

export async function move(home: Home, { from, to, overwrite }: Told<'move'>): Promise<FileEntry> {
  const [source, target] = [partsOf(from, 'from'), partsOf(to, 'to')]
  refuseMoves(source, target)
  return atPath(
    home,
    source,
    (here) =>
      atPath(
        home,
        target,
        async (there) => {
          const stats = await here.parent.lstat(here.name)
          refuseForeign(home, stats)
          await (overwrite ? renameOver(here, there) : renameToFree(here, there, stats))
          return seen(there)
        },
        'to',
      ),
    'from',
  )
}

function refuseMoves(source: Parts, target: Parts): void {
  refuseKept(source)
  refuseKept(target)
  checkNewName(target, 'to')
  if (isWithin(target, source)) throw wrong('to', 'is the directory itself or lies in it')
}

const O_PATH = 0o10000000

/** Through a descriptor of the checked file: the name could refer to another by then. */
export async function chmod(home: Home, { path, mode }: Told<'chmod'>): Promise<FileEntry> {
  const parts = partsOf(path)
  refuseKept(parts)
  return atPath(home, parts, async (place) => {
    const held = await fs.open(place.parent.place(place.name), O_PATH | constants.O_NOFOLLOW)
    try {
      const stats = await held.stat({ bigint: true })
      if (stats.isSymbolicLink()) throw wrong('path', 'is a link, which has no permissions of its own')
      refuseForeign(home, stats)
      await fs.chmod(`/proc/self/fd/${held.fd}`, Number.parseInt(mode, 8))
      return await entryOf(place, await held.stat({ bigint: true }))
    } finally {
      await held.close()
    }
  })
}

/** The directory at a path, for operations on its content. */
export const directoryOf = (home: Home, path: string, field: string) => descend(home, partsOf(path, field), field)
