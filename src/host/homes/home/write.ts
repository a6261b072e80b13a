import { randomBytes } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { ByteVerbs, Conditions, FileEntry } from '../../contract/commands/files.ts'
import type { Sink } from '../../contract/driver.ts'
import { FileError, inodesUsedUp, quotaUsedUp } from '../../contract/error.ts'
import type { Directory } from './directory.ts'
import { etagOf, refuseForeign, refuseIrregular, seen } from './entry.ts'
import { withFileErrors } from './error.ts'
import { removeExpired } from './expired.ts'
import { checkNewName, ownDirectory, partsOf, refuseReserved } from './path.ts'
import { renameToFree } from './rename.ts'
import { atPath, type Home, makeParents, type ParentEntry } from './walk.ts'

type Write = ByteVerbs['write']

const DEFAULT_MODE = 0o644

/** Refuses one more file or directory for an account that may not have more. */
export function refuseInode({ inodes = 1 }: { readonly inodes?: number | undefined }): void {
  if (inodes < 1) throw inodesUsedUp()
}

/** Collects a file's new content aside, and replaces the file atomically. */
export async function write(home: Home, input: Write['input']): Promise<Sink<FileEntry>> {
  const parts = partsOf(input.path)
  checkNewName(parts, 'path')
  const former = await atPath(home, parts, (place) => refuseUnfit(home, place, input))
  if (!former) refuseInode(input)
  refuseReserved(parts)
  const work = await workDirectory(home)
  await removeExpired(work)
  const partial = Buffer.from(`write-${randomBytes(12).toString('hex')}`)
  const file = await withFileErrors(() => work.create(partial)).catch(async (error) => {
    await work.close()
    throw error
  })
  const close = async (): Promise<void> => {
    await file.close().catch(() => {})
    await work.close().catch(() => {})
  }
  const discard = async (): Promise<void> => {
    await work.unlink(partial).catch(() => {})
    await close()
  }
  return {
    receive: (stream) => withFileErrors(() => receiveInto(file, stream, input)),
    commit: async () => {
      try {
        await file.sync()
        return await atPath(home, parts, (place) =>
          putInPlace(home, { parent: work, name: partial }, place, input, file),
        )
      } finally {
        await discard()
      }
    },
    discard,
  }
}

/** The panel's directory for unfinished work in a home. */
export const workDirectory = (home: Home): Promise<Directory> =>
  makeParents(home, [ownDirectory, Buffer.from('work')], 0o700)

/** An existing entry must be a file of the account's, and meet the conditions. */
async function refuseUnfit(
  home: Home,
  { parent, name }: ParentEntry,
  input: Conditions,
): Promise<BigIntStats | undefined> {
  const stats = await parent.find(name)
  if (stats) {
    refuseIrregular(stats)
    refuseForeign(home, stats)
    if (input.ifAbsent) throw new FileError('exists', 'There is already a file at this path.')
  }
  if (input.ifMatch !== undefined && !matches(stats, input.ifMatch))
    throw new FileError('changed', 'The file has changed since it was read: read it again.')
  return stats
}

const matches = (stats: BigIntStats | undefined, header: string): boolean =>
  stats !== undefined && header.split(',').some((one) => one.trim() === '*' || one.trim() === etagOf(stats))

async function putInPlace(
  home: Home,
  fresh: { parent: Directory; name: Buffer },
  place: ParentEntry,
  input: Write['input'],
  file: FileHandle,
): Promise<FileEntry> {
  const stats = await refuseUnfit(home, place, input)
  await file.chmod(input.mode ? Number.parseInt(input.mode, 8) : stats ? Number(stats.mode & 0o777n) : DEFAULT_MODE)
  if (stats) await fresh.parent.rename(fresh.name, place.parent, place.name)
  else await renameToFree(fresh, place, await fresh.parent.lstat(fresh.name))
  await place.parent.flush()
  return seen(place)
}

interface Bounds {
  /** The maximum size of the file, and the account's remaining space. */
  readonly maxBytes: number
  readonly room?: number | undefined
}

/** Writes a stream, up to the limits. */
export async function receiveInto(
  file: FileHandle,
  stream: Readable,
  { maxBytes: max, room }: Bounds,
  from = 0,
  took: (chunk: Buffer) => void = () => {},
): Promise<number> {
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > max) throw new FileError('too-large', `The body must not exceed ${max} bytes.`)
    if (room !== undefined && size > room) throw quotaUsedUp()
    for (let at = 0; at < chunk.length; )
      at += (await file.write(chunk, at, chunk.length - at, from + size - chunk.length + at)).bytesWritten
    took(chunk)
  }
  return size
}
