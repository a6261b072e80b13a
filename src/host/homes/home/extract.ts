import type { FileHandle } from 'node:fs/promises'
import type { FileInput } from '../../contract/commands/files.ts'
import { FileError } from '../../contract/error.ts'
import { type Extracted, extract as unpack } from '../archive/extract.ts'
import { type Directory, holding } from './directory.ts'
import { refuseForeign, refuseIrregular } from './entry.ts'
import { merge } from './merge.ts'
import { checkNewName, type Parts, partsOf } from './path.ts'
import { removeAll } from './remove.ts'
import { renameToFree } from './rename.ts'
import { atPath, descend, type Home, type ParentEntry } from './walk.ts'
import { workDirectory } from './write.ts'

const fresh = Buffer.from('new')
/** Complete, and possibly being moved into place. */
const ready = Buffer.from('ready')
const former = Buffer.from('old')

/** Unpacks an archive aside, then moves its content into place: all or nothing. */
export async function extract(
  home: Home,
  input: FileInput<'extract'>,
  signal?: AbortSignal,
): Promise<Partial<Extracted>> {
  const target = partsOf(input.to, 'to')
  if (target.length > 0) checkNewName(target, 'to')
  const name = Buffer.from(`extract-${input.id}`)
  return holding(workDirectory(home), async (work) => {
    try {
      const done = (await isReady(work, name)) ? {} : await prepare(home, work, name, input, signal)
      await holding(work.down(name), (own) => putInPlace(home, own, target, input.overwrite))
      return done
    } finally {
      await removeAll(work, name)
    }
  })
}

/** Resumes an earlier attempt that was interrupted while moving files into place. */
const isReady = async (work: Directory, name: Buffer): Promise<boolean> =>
  (await work.find(name)) !== undefined &&
  holding(work.down(name), async (own) => (await own.find(ready)) !== undefined)

async function prepare(
  home: Home,
  work: Directory,
  name: Buffer,
  input: FileInput<'extract'>,
  signal: AbortSignal | undefined,
): Promise<Extracted> {
  await removeAll(work, name, { signal })
  await work.makeDirectory(name, 0o700)
  return holding(work.down(name), async (own) => {
    await own.makeDirectory(former, 0o700)
    await own.makeDirectory(fresh)
    const done = await atPath(home, partsOf(input.path), (place) => unpackTo(home, place, own, input, signal))
    await home.onFailPoint?.('extract-unpacked')
    await own.flushAll()
    await own.rename(fresh, own, ready)
    await home.onFailPoint?.('extract-ready')
    return done
  })
}

async function unpackTo(
  home: Home,
  place: ParentEntry,
  own: Directory,
  { room, inodes, nameEncoding }: FileInput<'extract'>,
  signal: AbortSignal | undefined,
): Promise<Extracted> {
  const archive = await openArchive(home, place)
  const options = { uid: Number(home.uid), nameEncoding, signal, inodes, ...(room !== undefined && { room }) }
  try {
    return await holding(own.down(fresh), (into) => unpack(archive, into, options))
  } finally {
    await archive.close()
  }
}

/** Opens a file of the home's owner for reading. */
export async function openArchive(home: Home, { parent, name }: ParentEntry): Promise<FileHandle> {
  refuseIrregular(await parent.lstat(name))
  const archive = await parent.openToRead(name)
  try {
    const stats = await archive.stat({ bigint: true })
    refuseIrregular(stats)
    refuseForeign(home, stats)
    return archive
  } catch (error) {
    await archive.close()
    throw error
  }
}

/** As a new directory if nothing exists there; else merged into the existing one. */
async function putInPlace(home: Home, own: Directory, target: Parts, overwrite: boolean): Promise<void> {
  if (target.length > 0 && (await isFree(home, target)))
    return atPath(
      home,
      target,
      async (there) => renameToFree({ parent: own, name: ready }, there, await own.lstat(ready)),
      'to',
    )
  await holding(descend(home, target, 'to'), (into) =>
    holding(own.down(ready), (staged) =>
      holding(own.down(former), (old) => merge(staged, into, { home, old, overwrite, target })),
    ),
  )
}

/** Whether nothing exists there; 409 `exists` if a file does. */
export const isFree = (home: Home, target: Parts): Promise<boolean> =>
  atPath(
    home,
    target,
    async ({ parent, name }) => {
      const there = await parent.find(name)
      if (there?.isFile()) throw new FileError('exists', 'There is already a file at this path.')
      return there === undefined
    },
    'to',
  )
