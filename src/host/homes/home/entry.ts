import type { BigIntStats } from 'node:fs'
import type { FileEntry } from '../../contract/commands/files.ts'
import { FileError } from '../../contract/error.ts'
import type { Directory } from './directory.ts'
import { joined, type Parts, wrong } from './path.ts'
import type { Home, ParentEntry } from './walk.ts'

const typeOf = (stats: BigIntStats): FileEntry['type'] => {
  if (stats.isFile()) return 'file'
  if (stats.isDirectory()) return 'directory'
  return stats.isSymbolicLink() ? 'link' : 'other'
}

export const modeText = (mode: bigint): string => (mode & 0o7777n).toString(8).padStart(4, '0')

/** Changes whenever the content may have: a new file has another inode, a change another time. */
export const etagOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `"${[ino, size, mtimeNs, ctimeNs].map((part) => part.toString(36)).join('-')}"`

/** Describes an entry from its fresh `stats`. */
export async function entryOf({ parent, name, parts }: ParentEntry, stats: BigIntStats): Promise<FileEntry> {
  const type = typeOf(stats)
  const target = type === 'link' ? await parent.readlink(name).catch(() => undefined) : undefined
  return { ...visible(parts, name, stats), ...(target && { target: target.toString('base64') }) }
}

/** Clamped to exact numbers: a sparse file can be larger. */
export const sizeOf = ({ size }: BigIntStats): number => Math.min(Number(size), Number.MAX_SAFE_INTEGER)

export const modifiedAt = ({ mtimeMs }: BigIntStats): number =>
  Math.min(Math.max(0, Number(mtimeMs)), Number.MAX_SAFE_INTEGER)

export const visible = (parts: Parts, name: Buffer, stats: BigIntStats): FileEntry => ({
  name: name.toString('base64'),
  path: joined(parts).toString('base64'),
  type: typeOf(stats),
  size: sizeOf(stats),
  mode: modeText(stats.mode),
  modifiedAt: modifiedAt(stats),
  ...(stats.isFile() && { etag: etagOf(stats) }),
})

/** The entry of an open directory itself. */
export const ownEntry = async (directory: Directory, parts: Parts): Promise<FileEntry> =>
  visible(parts, parts.at(-1) ?? Buffer.alloc(0), await directory.stat())

export const seen = async (place: ParentEntry): Promise<FileEntry> =>
  entryOf(place, await place.parent.lstat(place.name))

/** Entries in a home that belong to other users are off limits. */
export function refuseForeign(home: Home, stats: BigIntStats): void {
  if (stats.uid !== home.uid) throw new FileError('forbidden', 'The file does not belong to the account.')
}

export function refuseIrregular(stats: BigIntStats, field = 'path'): void {
  if (!stats.isFile()) throw wrong(field, 'is not a regular file')
}
