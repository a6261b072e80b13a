import { constants } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import * as fs from 'node:fs/promises'
import { resolve } from 'node:path'
import { FileError } from '../contract/error.ts'
import { type AnyCompression, canCompress, decompress, through } from '../homes/archive/compress.ts'
import { isTar } from '../homes/archive/tar-read.ts'

export const notAnArchive = (): FileError =>
  new FileError(
    'validation',
    'is not an account archive of cPanel, DirectAdmin or Hestia: a tar, also as gz, zst, bz2 or xz',
    'path',
  )

/**
 * Opens an archive once: a regular file below one of the directories, without a link on the way, that root or the panel
 * owns.
 */
export async function openArchive(path: string, dirs: readonly string[]): Promise<FileHandle> {
  const clean = resolve(path)
  const isBelow = dirs.some((dir) => clean.startsWith(`${resolve(dir)}/`))
  if (!isBelow) throw new FileError('validation', `must be below ${dirs.join(', ')}`, 'path')
  const opened = await fs.open(clean, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(whyClosed)
  try {
    // A link on the way leads elsewhere than the path says.
    const real = await fs.readlink(`/proc/self/fd/${opened.fd}`)
    if (real !== clean) throw new FileError('validation', 'must not lead through a symbolic link', 'path')
    const found = await opened.stat()
    if (!found.isFile()) throw new FileError('validation', 'must be a file', 'path')
    if (![0, process.getuid!(), await ownerOf(panelDir)].includes(found.uid))
      throw new FileError('validation', 'must belong to root or to the user of the panel', 'path')
    return opened
  } catch (error) {
    await opened.close()
    throw error
  }
}

/** Its owner is the user of the panel. */
const panelDir = '/var/lib/panel'

const ownerOf = (dir: string): Promise<number> =>
  fs.stat(dir).then(
    ({ uid }) => uid,
    () => 0,
  )

function whyClosed(error: NodeJS.ErrnoException): never {
  if (error.code === 'ELOOP') throw new FileError('validation', 'must not be a symbolic link', 'path')
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') throw new FileError('validation', 'does not exist', 'path')
  throw new FileError('validation', 'cannot be opened', 'path')
}

const magics: readonly (readonly [AnyCompression, string])[] = [
  ['gzip', '1f8b'],
  ['zstd', '28b52ffd'],
  ['bzip2', '425a68'],
  ['xz', 'fd377a585a00'],
]

const compressionIn = (head: Buffer): AnyCompression | undefined =>
  magics.find(([, magic]) => head.toString('hex', 0, magic.length / 2) === magic)?.[0]

/** How it is compressed, by its first bytes; undefined for a bare tar. */
export function compressionOf(head: Buffer): AnyCompression | undefined {
  const found = compressionIn(head)
  if (found) return found
  if (head.length < 512 || !isTar(head.subarray(0, 512))) throw notAnArchive()
  return undefined
}

/** Whether a file can be an archive, and its size. */
export async function checkArchive(path: string, dirs: readonly string[]): Promise<{ readonly sizeBytes: number }> {
  const file = await openArchive(path, dirs)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(512), 0, 512, 0)
    refuseUnreadable(compressionOf(buffer.subarray(0, bytesRead)))
    return { sizeBytes: (await file.stat()).size }
  } finally {
    await file.close()
  }
}

function refuseUnreadable(compression: AnyCompression | undefined): void {
  if (compression === undefined || canCompress(compression)) return
  throw new FileError('not-configured', `This host needs the program ${compression} to read the archive.`, 'path')
}

/** Counts the bytes of a file that were read, so that damage has a place. */
export class Counted {
  read = 0
  readonly #bytes: AsyncIterable<Buffer>

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#bytes = bytes
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for await (const chunk of this.#bytes) {
      this.read += chunk.length
      yield chunk
    }
  }
}

/** The bytes of the tar in a compressed stream; its first bytes say how it is compressed. */
export async function* unpacked(bytes: AsyncIterable<Buffer>, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const { head, all } = await headOf(bytes)
  yield* decompressed(all, compressionOf(head), signal)
}

/** The bytes of a file that may be compressed; its first bytes say so. */
export async function* plain(bytes: AsyncIterable<Buffer>, signal?: AbortSignal): AsyncGenerator<Buffer> {
  const { head, all } = await headOf(bytes)
  yield* decompressed(all, compressionIn(head), signal)
}

async function headOf(bytes: AsyncIterable<Buffer>): Promise<{ head: Buffer; all: AsyncIterable<Buffer> }> {
  const source = bytes[Symbol.asyncIterator]()
  const pieces: Buffer[] = []
  for (let have = 0; have < HEAD_BYTES; ) {
    const { done, value } = await source.next()
    if (done) break
    pieces.push(Buffer.from(value))
    have += value.length
  }
  const head = Buffer.concat(pieces)
  const rest = { [Symbol.asyncIterator]: () => source }
  const all = (async function* () {
    yield head
    yield* rest
  })()
  return { head, all }
}

const HEAD_BYTES = 512

async function* decompressed(
  bytes: AsyncIterable<Buffer>,
  compression: AnyCompression | undefined,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  if (compression === undefined) return yield* bytes
  refuseUnreadable(compression)
  yield* through(bytes, decompress(compression, signal))
}
