import type { FileHandle } from 'node:fs/promises'
import { FileError } from '../../contract/error.ts'
import type { Directory } from '../home/directory.ts'
import { asFileError } from '../home/error.ts'
import { type Compression, decompress, through } from './compress.ts'
import type { ReadEntry } from './entry.ts'
import { damaged } from './refused.ts'
import { tarEntries } from './tar-read.ts'
import { Unpacker } from './unpack.ts'
import { zipEntries } from './zip-read.ts'

export interface Extraction {
  /** The maximum bytes to write; by default the free disk space. */
  readonly room?: number
  /** The owner of the unpacked files; by default this process's user. */
  readonly uid?: number
  readonly signal?: AbortSignal | undefined
}

export interface Extracted {
  readonly files: number
  readonly bytes: number
}

const MAX_ENTRIES = 100_000
const deepest = 64

/**
 * Unpacks an untrusted archive (zip, tar.gz or tar.zst, by its first bytes) into an empty directory, by the rules for
 * archives. Throws a `FileError`, which a retry would not fix, unless the disk is at fault; the caller then removes the
 * directory.
 */
export async function extract(
  archive: FileHandle,
  into: Directory,
  { room, ...rest }: Extraction = {},
): Promise<Extracted> {
  const limits = { entries: MAX_ENTRIES, depth: deepest, bytes: room ?? (await into.freeBytes()) }
  const unpacker = new Unpacker(into, { ...rest, limits })
  try {
    await unpacker.unpack(await entriesOf(archive, rest.signal))
  } catch (error) {
    throw asFileError(error)
  }
  return { files: unpacker.files, bytes: unpacker.bytes }
}

const beginnings: readonly (readonly [string, 'zip' | Compression])[] = [
  ['504b0304', 'zip'],
  ['504b0506', 'zip'],
  ['1f8b', 'gzip'],
  ['28b52ffd', 'zstd'],
]

async function entriesOf(archive: FileHandle, signal: AbortSignal | undefined): Promise<AsyncIterable<ReadEntry>> {
  const { bytesRead, buffer } = await archive.read(Buffer.alloc(4), 0, 4, 0)
  const start = buffer.toString('hex', 0, bytesRead)
  const format = beginnings.find(([begins]) => start.startsWith(begins))?.[1]
  if (!format) throw new FileError('validation', 'The file is not a zip, tar.gz or tar.zst archive.', 'path')
  if (format === 'zip') return zipEntries(archive)
  return tarEntries(decompressed(archive, format, signal))
}

async function* decompressed(
  archive: FileHandle,
  format: Compression,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  const bytes = archive.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Buffer>
  try {
    yield* through(bytes, decompress(format, signal))
  } catch (error) {
    signal?.throwIfAborted()
    throw understood(error as NodeJS.ErrnoException)
  }
}

function understood(error: NodeJS.ErrnoException): unknown {
  if (error.syscall?.startsWith('spawn'))
    return new FileError('not-configured', 'This host cannot read zstd archives: install the package zstd.')
  return error.syscall === undefined ? damaged() : error
}
