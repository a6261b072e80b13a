import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { BackupBytes, BackupDownload } from '../backups.ts'
import { FileFault } from '../error.ts'
import { sliceOf } from '../home/range.ts'
import type { Source } from '../source.ts'
import { readManifest } from './check.ts'
import { type BackupManifest, type ManifestEntry, manifestName } from './manifest.ts'
import { partOf } from './part-of.ts'
import { bytesIn, type Piece, sizeOf, tarOf } from './pieces.ts'
import type { Shelf } from './shelf.ts'
import { type Roots, shelfAt } from './shelves.ts'

/** A download from a backup, as one byte sequence. */
interface Parcel {
  readonly ending: string
  readonly pieces: readonly Piece[]
  readonly sha256?: string
}

/** Opens a part of a backup, or a tar of all, for reading. */
export async function openDownload(roots: Roots, wanted: BackupDownload): Promise<Source<BackupBytes>> {
  const shelf = await shelfAt(roots, wanted.place)
  const manifest = await readManifest(shelf, wanted.manifestSha256)
  if (typeof manifest === 'string') throw damaged(manifest)
  const parcel = wanted.part === undefined ? await allOf(shelf, manifest) : await partIn(shelf, manifest, wanted)
  const size = sizeOf(parcel.pieces)
  const slice = sliceOf(rangeFor(parcel, wanted), size)
  const { ending, sha256 } = parcel
  return {
    answer: { ending, size, ...slice, ...(sha256 !== undefined && { sha256 }) },
    stream: () => Readable.from(bytesIn(parcel.pieces, shelf, slice), { objectMode: false }),
    close: async () => {},
  }
}

const damaged = (what: string): FileFault => new FileFault('incomplete', `The backup is damaged: ${what}`)

/** A range needs bytes with a known identity: those of a part, if it is unchanged. */
const rangeFor = ({ sha256 }: Parcel, { range, ifRange }: BackupDownload): string | undefined =>
  sha256 !== undefined && (ifRange === undefined || ifRange === `"${sha256}"`) ? range : undefined

async function allOf(shelf: Shelf, manifest: BackupManifest): Promise<Parcel> {
  await refuseOtherSizes(shelf, manifest.entries)
  const own = { name: manifestName, bytes: (await shelf.sizeOf(manifestName))! }
  return { ending: 'tar', pieces: tarOf([...manifest.entries, own], manifest.created_at) }
}

/** One file is sent as it is, several as a tar. A backup on another machine can only be streamed. */
async function partIn(shelf: Shelf, manifest: BackupManifest, { part, place }: BackupDownload): Promise<Parcel> {
  const isHere = place.repository === undefined
  const entries = manifest.entries.filter(({ name }) => partOf(name) === part)
  const [only] = entries
  if (!only) throw new FileFault('incomplete', `The part ${part} is not in the backup.`)
  await refuseOtherSizes(shelf, entries)
  if (!only.name.includes('/')) return { ending: only.name, pieces: [only], ...(isHere && { sha256: only.sha256 }) }
  const pieces = tarOf(entries, manifest.created_at)
  return { ending: `${part}.tar`, pieces, ...(isHere && { sha256: await sumOf(shelf, pieces) }) }
}

async function refuseOtherSizes(shelf: Shelf, entries: readonly ManifestEntry[]): Promise<void> {
  for (const { name, bytes } of entries) {
    const size = await shelf.sizeOf(name)
    if (size === undefined) throw damaged(`${name} is missing.`)
    if (size !== null && size !== bytes) throw damaged(`${name} has ${size} bytes, not ${bytes}.`)
  }
}

async function sumOf(shelf: Shelf, pieces: readonly Piece[]): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of bytesIn(pieces, shelf, { start: 0, length: sizeOf(pieces) })) hash.update(bytes)
  return hash.digest('hex')
}
