import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Source } from '../contract/byte-source.ts'
import type { BackupBytes, BackupDownload } from '../contract/commands/backups.ts'
import { FileError } from '../contract/error.ts'
import { sliceOf } from '../homes/home/range.ts'
import { readManifest } from './check.ts'
import { type BackupManifest, type ManifestEntry, manifestName } from './manifest.ts'
import { partOf } from './part-of.ts'
import type { BackupReader } from './reader.ts'
import { type Roots, readerAt } from './readers.ts'
import { bytesIn, type Piece, sizeOf, tarOf } from './segments.ts'

/** A download from a backup, as one byte sequence. */
interface Parcel {
  readonly ending: string
  readonly pieces: readonly Piece[]
  readonly sha256?: string
}

/** Opens a part of a backup, or a tar of all, for reading. */
export async function openDownload(roots: Roots, request: BackupDownload): Promise<Source<BackupBytes>> {
  const reader = await readerAt(roots, request.place)
  const manifest = await readManifest(reader, request.manifestSha256)
  if (typeof manifest === 'string') throw damaged(manifest)
  const parcel = request.part === undefined ? await allOf(reader, manifest) : await partIn(reader, manifest, request)
  const size = sizeOf(parcel.pieces)
  const slice = sliceOf(rangeFor(parcel, request), size)
  const { ending, sha256 } = parcel
  return {
    answer: { ending, size, ...slice, ...(sha256 !== undefined && { sha256 }) },
    stream: () => Readable.from(bytesIn(parcel.pieces, reader, slice), { objectMode: false }),
    close: async () => {},
  }
}

const damaged = (what: string): FileError => new FileError('incomplete', `The backup is damaged: ${what}`)

/** A range needs bytes with a known identity: those of a part, if it is unchanged. */
const rangeFor = ({ sha256 }: Parcel, { range, ifRange }: BackupDownload): string | undefined =>
  sha256 !== undefined && (ifRange === undefined || ifRange === `"${sha256}"`) ? range : undefined

async function allOf(reader: BackupReader, manifest: BackupManifest): Promise<Parcel> {
  await refuseOtherSizes(reader, manifest.entries)
  const own = { name: manifestName, bytes: (await reader.sizeOf(manifestName))! }
  return { ending: 'tar', pieces: tarOf([...manifest.entries, own], manifest.created_at) }
}

/** One file is sent as it is, several as a tar. A backup on another machine can only be streamed. */
async function partIn(
  reader: BackupReader,
  manifest: BackupManifest,
  { part, place }: BackupDownload,
): Promise<Parcel> {
  const isLocal = place.repository === undefined
  const entries = manifest.entries.filter(({ name }) => partOf(name) === part)
  const [only] = entries
  if (!only) throw new FileError('incomplete', `The part ${part} is not in the backup.`)
  await refuseOtherSizes(reader, entries)
  if (!only.name.includes('/')) return { ending: only.name, pieces: [only], ...(isLocal && { sha256: only.sha256 }) }
  const pieces = tarOf(entries, manifest.created_at)
  return { ending: `${part}.tar`, pieces, ...(isLocal && { sha256: await sumOf(reader, pieces) }) }
}

async function refuseOtherSizes(reader: BackupReader, entries: readonly ManifestEntry[]): Promise<void> {
  for (const { name, bytes } of entries) {
    const size = await reader.sizeOf(name)
    if (size === undefined) throw damaged(`${name} is missing.`)
    if (size !== null && size !== bytes) throw damaged(`${name} has ${size} bytes, not ${bytes}.`)
  }
}

async function sumOf(reader: BackupReader, pieces: readonly Piece[]): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of bytesIn(pieces, reader, { start: 0, length: sizeOf(pieces) })) hash.update(bytes)
  return hash.digest('hex')
}
