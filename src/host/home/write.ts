import { randomBytes } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { Sink } from '../driver.ts'
import { FileFault, quotaUsedUp } from '../error.ts'
import type { ByteVerbs, Conditions, FileEntry } from '../files.ts'
import type { Directory } from './directory.ts'
import { etagOf, refuseForeign, refuseIrregular, seen } from './entry.ts'
import { removeExpired } from './expired.ts'
import { withFaults } from './fault.ts'
import { checkNewName, ownDirectory, partsOf, refuseKept } from './path.ts'
import { renameToFree } from './rename.ts'
import { atPath, type Home, makeWay, type Place } from './walk.ts'

type Write = ByteVerbs['write']

const usualMode = 0o644

/** Collects a file's new content aside, and replaces the file atomically. */
export async function write(home: Home, told: Write['told']): Promise<Sink<FileEntry>> {
  const parts = partsOf(told.path)
  checkNewName(parts, 'path')
  await atPath(home, parts, (place) => refuseUnfit(home, place, told))
  refuseKept(parts)
  const work = await workDirectory(home)
  await removeExpired(work)
  const partial = Buffer.from(`write-${randomBytes(12).toString('hex')}`)
  const file = await withFaults(() => work.create(partial)).catch(async (error) => {
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
    receive: (stream) => withFaults(() => receiveInto(file, stream, told)),
    commit: async () => {
      try {
        await file.sync()
        return await atPath(home, parts, (place) =>
          putInPlace(home, { parent: work, name: partial }, place, told, file),
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
  makeWay(home, [ownDirectory, Buffer.from('work')], 0o700)

/** An existing entry must be a file of the account's, and meet the conditions. */
async function refuseUnfit(home: Home, { parent, name }: Place, told: Conditions): Promise<BigIntStats | undefined> {
  const stats = await parent.find(name)
  if (stats) {
    refuseIrregular(stats)
    refuseForeign(home, stats)
    if (told.ifAbsent) throw new FileFault('exists', 'There is already a file at this path.')
  }
  if (told.ifMatch !== undefined && !matches(stats, told.ifMatch))
    throw new FileFault('changed', 'The file has changed since it was read: read it again.')
  return stats
}

const matches = (stats: BigIntStats | undefined, header: string): boolean =>
  stats !== undefined && header.split(',').some((one) => one.trim() === '*' || one.trim() === etagOf(stats))

async function putInPlace(
  home: Home,
  fresh: { parent: Directory; name: Buffer },
  place: Place,
  told: Write['told'],
  file: FileHandle,
): Promise<FileEntry> {
  const stats = await refuseUnfit(home, place, told)
  await file.chmod(told.mode ? Number.parseInt(told.mode, 8) : stats ? Number(stats.mode & 0o777n) : usualMode)
  if (stats) await fresh.parent.rename(fresh.name, place.parent, place.name)
  else await renameToFree(fresh, place, await fresh.parent.lstat(fresh.name))
  await place.parent.flush()
  return seen(place)
}

interface Bounds {
  /** The maximum size of the file, and the account's remaining space. */
  readonly most: number
  readonly room?: number
}

/** Writes a stream, up to the limits. */
export async function receiveInto(
  file: FileHandle,
  stream: Readable,
  { most, room }: Bounds,
  from = 0,
  took: (chunk: Buffer) => void = () => {},
): Promise<number> {
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > most) throw new FileFault('too-large', `The body must not exceed ${most} bytes.`)
    if (room !== undefined && size > room) throw quotaUsedUp()
    for (let at = 0; at < chunk.length; )
      at += (await file.write(chunk, at, chunk.length - at, from + size - chunk.length + at)).bytesWritten
    took(chunk)
  }
  return size
}
