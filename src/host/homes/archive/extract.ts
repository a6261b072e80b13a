import type { FileHandle } from 'node:fs/promises'
import { FileError } from '../../contract/error.ts'
import type { NameEncoding } from '../../contract/files.ts'
import type { Directory } from '../home/directory.ts'
import { asFileError } from '../home/error.ts'
import { type AnyCompression, asTar, decompress, through } from './compress.ts'
import type { ReadEntry } from './entry.ts'
import { damaged } from './refused.ts'
import { blockSize } from './tar.ts'
import { isTar, tarEntries } from './tar-read.ts'
import { Unpacker } from './unpack.ts'
import { zipEntries } from './zip-read.ts'

export interface Extraction {
  /** The maximum bytes to write; by default the free disk space. */
  readonly room?: number
  /** The maximum number of files and directories to make; unlimited by default. */
  readonly inodes?: number | undefined
  /** The owner of the unpacked files; by default this process's user. */
  readonly uid?: number
  /** Of names in a zip that do not say it. */
  readonly nameEncoding?: NameEncoding | undefined
  readonly signal?: AbortSignal | undefined
}

export interface Extracted {
  readonly files: number
  readonly bytes: number
  /** What was left out or changed, and why. */
  readonly warnings: readonly string[]
}

const MAX_ENTRIES = 100_000
const deepest = 64

/**
 * Unpacks an untrusted archive, its format known by its first bytes, into an empty directory, by the rules for archives.
 * Throws a `FileError`, which a retry would not fix, unless the disk is at fault; the caller then removes the directory.
 */
export async function extract(
  archive: FileHandle,
  into: Directory,
  { room, nameEncoding, ...rest }: Extraction = {},
): Promise<Extracted> {
  const limits = { entries: MAX_ENTRIES, depth: deepest, bytes: room ?? (await into.freeBytes()) }
  const unpacker = new Unpacker(into, { ...rest, limits })
  try {
    await unpacker.unpack(await entriesOf(archive, nameEncoding, rest.signal))
  } catch (error) {
    throw asFileError(error)
  }
  return { files: unpacker.files, bytes: unpacker.bytes, warnings: unpacker.warnings() }
}

type Format = 'zip' | '7z' | 'tar' | AnyCompression

const beginnings: readonly (readonly [string, Format])[] = [
  ['504b0304', 'zip'],
  ['504b0506', 'zip'],
  ['1f8b', 'gzip'],
  ['28b52ffd', 'zstd'],
  ['425a68', 'bzip2'],
  ['fd377a585a00', 'xz'],
  ['377abcaf271c', '7z'],
]

const others: readonly (readonly [string, string])[] = [
  ['526172211a07', 'a RAR archive'],
  ['504b0708', 'part of a zip in several parts'],
  ['4d534346', 'a cabinet of Windows'],
]

async function entriesOf(
  archive: FileHandle,
  nameEncoding: NameEncoding | undefined,
  signal: AbortSignal | undefined,
): Promise<AsyncIterable<ReadEntry>> {
  const format = await formatOf(archive)
  if (format === 'zip') return zipEntries(archive, nameEncoding)
  return tarEntries(tarIn(understandable(tarOf(archive, format, signal), format, signal), format))
}

async function formatOf(archive: FileHandle): Promise<Format> {
  const { bytesRead, buffer } = await archive.read(Buffer.alloc(blockSize), 0, blockSize, 0)
  const start = buffer.toString('hex', 0, Math.min(bytesRead, 8))
  const known = beginnings.find(([begins]) => start.startsWith(begins))?.[1]
  if (known) return known
  if (bytesRead === blockSize && isTar(buffer)) return 'tar'
  const other = others.find(([begins]) => start.startsWith(begins))?.[1]
  throw invalid(
    other
      ? `The file is ${other}, which cannot be read: pack the files as zip or tar.gz.`
      : 'The file is not an archive: zip, 7z, tar, or tar.gz, .bz2, .xz, .zst.',
  )
}

const invalid = (message: string): FileError => new FileError('validation', message, 'path')

/** What unpacks one file. */
const unpackers: Readonly<Record<AnyCompression, string>> = {
  gzip: 'gunzip',
  zstd: 'unzstd',
  bzip2: 'bunzip2',
  xz: 'unxz',
}

/** The bytes of a tar, unless what was packed is another file. */
async function* tarIn(bytes: AsyncIterable<Buffer>, format: Exclude<Format, 'zip'>): AsyncGenerator<Buffer> {
  let start = Buffer.alloc(0)
  let isRead = format === 'tar' || format === '7z'
  for await (const piece of bytes) {
    if (isRead) yield piece
    else start = Buffer.concat([start, piece])
    if (isRead || start.length < blockSize) continue
    isRead = true
    if (!beginsTar(start)) break
    yield start
  }
  if (format !== 'tar' && format !== '7z' && !beginsTar(start))
    throw invalid(
      `The file is one packed file, and not an archive of files: unpack it with ${unpackers[format]}, or pack a directory as tar.gz or zip.`,
    )
}

/** By its mark as well: the block may be damaged. Zeros are an empty archive. */
const beginsTar = (bytes: Buffer): boolean => {
  const block = bytes.subarray(0, blockSize)
  const hasMark = block.toString('latin1', 257, 262) === 'ustar'
  return block.length === blockSize && (hasMark || isTar(block) || block.every((byte) => byte === 0))
}

function tarOf(
  archive: FileHandle,
  format: Exclude<Format, 'zip'>,
  signal: AbortSignal | undefined,
): AsyncIterable<Buffer> {
  if (format === '7z') return asTar(archive, signal)
  const bytes = archive.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Buffer>
  return format === 'tar' ? bytes : through(bytes, decompress(format, signal))
}

async function* understandable(
  bytes: AsyncIterable<Buffer>,
  format: Format,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  try {
    yield* bytes
  } catch (error) {
    signal?.throwIfAborted()
    throw understood(error as NodeJS.ErrnoException, format)
  }
}

const packages: Readonly<Record<string, string>> = {
  zstd: 'zstd',
  bzip2: 'bzip2',
  xz: 'xz-utils',
  '7z': 'libarchive-tools',
}

function understood(error: NodeJS.ErrnoException, format: Format): unknown {
  if (error.syscall?.startsWith('spawn'))
    return new FileError(
      'not-configured',
      `This host cannot read ${format} archives: install the package ${packages[format]}.`,
    )
  return error.syscall === undefined ? damaged() : error
}
