import { constants } from 'node:fs'
import { chown, mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { PlacedImport, Unpacked, Unpacking } from '../contract/commands/imports.ts'
import { FileError } from '../contract/error.ts'
import type { ReadEntry } from '../homes/archive/entry.ts'
import { Unpacker } from '../homes/archive/unpack.ts'
import { Directory, holding } from '../homes/home/directory.ts'
import { asFileError } from '../homes/home/error.ts'
import { removeAll } from '../homes/home/remove.ts'
import { trashDir } from '../homes/home-paths.ts'
import { Counted, unpacked } from './open.ts'
import { Placing, withFolderNames } from './placing.ts'
import { damageAt } from './read.ts'
import { ArchiveWalk } from './walk.ts'

const MAX_DEPTH = 128
const MAX_WARNINGS = 1_000
/** Of the free space, so much stays free. */
const FREE_SHARE = 0.1

/** Unpacks the home and the dumps of an archive into a directory that this process owns. */
export async function unpackInto(
  into: Directory,
  bytes: AsyncIterable<Buffer>,
  request: Unpacking,
  signal?: AbortSignal,
): Promise<Unpacked> {
  const counted = new Counted(bytes)
  const room = Math.floor((await into.freeBytes()) * (1 - FREE_SHARE))
  const limits = {
    entries: request.maxEntries,
    depth: MAX_DEPTH,
    bytes: Math.min(request.maxBytes, request.room ?? room, room),
  }
  const unpacker = new Unpacker(into, { limits, signal })
  const walk = new ArchiveWalk(request)
  try {
    await unpacker.unpack(placed(walk, unpacked(counted, signal), request))
  } catch (error) {
    signal?.throwIfAborted()
    throw damageAt(error instanceof FileError ? error : asFileError(damageAt(error, counted.read)), counted.read)
  }
  return {
    files: unpacker.files,
    bytes: unpacker.bytes,
    warnings: unpacker.warnings().slice(0, MAX_WARNINGS),
    refused: Object.fromEntries(walk.refused),
  }
}

async function* placed(walk: ArchiveWalk, bytes: AsyncIterable<Buffer>, request: Unpacking): AsyncGenerator<ReadEntry> {
  const placing = new Placing(request)
  for await (const walked of walk.entries(bytes)) {
    const entry = placing.place(walked, walk.format)
    if (entry) yield await withFolderNames(entry)
  }
}

const stagingOf = (id: string): string => `.import-${id}`
const partial = Buffer.from('partial')
const complete = Buffer.from('home')

/** How the bytes of an archive get into the staging directory: in this process, or in one of the account's uid. */
export type Fill = (place: string, into: Directory) => Promise<Unpacked>

export interface Staged {
  readonly id: string
  /** By default this process's user. */
  readonly owner?: number
}

/** Unpacks aside, into a directory that root made; a failure leaves nothing. */
export async function stageImport(homes: string, { id, owner }: Staged, fill: Fill): Promise<Unpacked> {
  const name = Buffer.from(stagingOf(id))
  await mkdir(homes, { recursive: true, mode: 0o711 })
  return holding(Directory.at(homes), async (above) => {
    await removeAll(above, name)
    await above.makeDirectory(name, 0o711)
    try {
      return await holding(above.down(name), async (own) => {
        await own.makeDirectory(partial, 0o700)
        const place = join(homes, stagingOf(id), 'partial')
        if (owner !== undefined) await chown(place, owner, owner)
        const done = await holding(own.down(partial), (into) => fill(place, into))
        await own.flushAll()
        await own.rename(partial, own, complete)
        return done
      })
    } catch (error) {
      await removeAll(above, name).catch(() => {})
      throw error
    }
  })
}

/**
 * Renames what was unpacked to the account's home. Another change of the account may have made an empty home before:
 * while there is something unpacked, the files have not been placed.
 */
export async function placeImport(homes: string, id: string, username: string): Promise<PlacedImport> {
  return holding(Directory.at(homes), async (above) => {
    const [name, home] = [Buffer.from(stagingOf(id)), Buffer.from(username)]
    if (!(await above.find(name))) return { placed: (await above.find(home)) !== undefined }
    return holding(above.down(name), async (own) => {
      const [unpacked, there] = [await own.find(complete), await above.find(home)]
      if (!unpacked && !there) return { placed: false }
      if (unpacked && there) await clearHome(above, home, own, unpacked.uid === there.uid)
      if (unpacked) await own.rename(complete, above, home)
      await removeAll(above, name)
      await above.flush()
      return { placed: true }
    })
  })
}

async function clearHome(above: Directory, home: Buffer, into: Directory, isAccounts: boolean): Promise<void> {
  if (!isAccounts) throw new FileError('exists', "The home of another user is in the place of the account's.", 'path')
  await removeAll(into, made)
  await above.rename(home, into, made)
}

const made = Buffer.from('made')

/** Removes what was unpacked for an import, and what its removed account left in the trash. */
export async function dropImport(root: string, id: string, account: string | undefined): Promise<void> {
  const homes = join(root, 'home')
  await within(homes, (above) => removeAll(above, Buffer.from(stagingOf(id))))
  if (account === undefined) return
  const trash = join(root, trashDir)
  const left = (await readdir(trash).catch(() => [])).filter((name) => name.endsWith(`-${account}`))
  for (const name of left) await within(trash, (above) => removeAll(above, Buffer.from(name)))
}

async function within(path: string, act: (directory: Directory) => Promise<void>): Promise<void> {
  const there = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
    () => undefined,
  )
  if (!there) return
  await there.close()
  await holding(Directory.at(path), act)
}
