import type { FileHandle } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl'
import { FileError } from '../../contract/error.ts'
import type { NameEncoding } from '../../contract/files.ts'
import type { ReadEntry } from './entry.ts'
import { damaged, refused } from './refused.ts'
import { textOf } from './warnings.ts'
import { isUnix, NameSample, pathOf } from './zip-names.ts'

/**
 * Reads the entries of a zip archive, by its central directory. Entries that share data are refused: each would be
 * unpacked, so that the work could be the square of the archive's size.
 */
export async function* zipEntries(archive: FileHandle, chosen?: NameEncoding): AsyncGenerator<ReadEntry> {
  const sample = new NameSample()
  for await (const { value } of eachEntry(archive)) sample.take(value)
  const naming = sample.naming(chosen)
  for await (const { zip, value } of eachEntry(archive)) yield await entryOf(zip, value, pathOf(value, chosen, naming))
}

async function* eachEntry(archive: FileHandle): AsyncGenerator<{ readonly zip: ZipFile; readonly value: Entry }> {
  const zip = await understood(fromFdPromise(archive.fd, { autoClose: false, decodeStrings: false }))
  zip.on('error', () => {})
  const entries = zip.eachEntry()
  let left = zip.fileSize
  for (;;) {
    const { done, value } = await understood(entries.next())
    if (done) return
    left -= value.compressedSize
    if (left < 0) throw refused('its entries overlap')
    yield { zip, value }
  }
}

/** Attributes the reader's errors to the archive, but not those of the disk. */
async function understood<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    throw error instanceof FileError || (error as NodeJS.ErrnoException).syscall !== undefined ? error : damaged()
  }
}

const kindMask = 0o170000
const kinds: ReadonlyMap<number, ReadEntry['type']> = new Map([
  [0o120000, 'link'],
  [0o040000, 'directory'],
  [0o100000, 'file'],
])

async function entryOf(zip: ZipFile, entry: Entry, path: Buffer): Promise<ReadEntry> {
  if (entry.isEncrypted()) throw refused(`${textOf([path])} is encrypted; pack it again without a password`)
  if (![0, 8].includes(entry.compressionMethod))
    throw refused(`${textOf([path])} is compressed by a method other than deflate; pack it again with deflate`)
  const [type, mode] = [typeOf(entry, path), modeOf(entry)]
  const read: ReadEntry = {
    path,
    type,
    mode: mode || (type === 'directory' ? 0o755 : 0o644),
    mtime: Math.max(0, entry.getLastModDate().getTime() / 1000 || 0),
    size: entry.uncompressedSize,
    sum: `${entry.uncompressedSize}:${entry.crc32}`,
    content: () => contentOf(zip, entry),
  }
  return type === 'link' ? { ...read, target: await targetOf(read) } : read
}

const attributesOf = (entry: Entry): number => (isUnix(entry) ? entry.externalFileAttributes >>> 16 : 0)

const modeOf = (entry: Entry): number => attributesOf(entry) & 0o777

function typeOf(entry: Entry, path: Buffer): ReadEntry['type'] {
  const kind = attributesOf(entry) & kindMask
  const type = kind === 0 ? 'file' : (kinds.get(kind) ?? 'other')
  return type === 'file' && path.at(-1) === 0x2f ? 'directory' : type
}

const MAX_TARGET_LENGTH = 4096

async function targetOf({ size, content }: ReadEntry): Promise<Buffer> {
  if (size > MAX_TARGET_LENGTH) throw damaged()
  const pieces: Buffer[] = []
  for await (const piece of content()) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function* contentOf(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  const stream = await understood(zip.openReadStreamPromise(entry))
  const pieces = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  let sum = 0
  try {
    for (;;) {
      const { done, value } = await understood(pieces.next())
      if (done) break
      sum = crc32(value, sum)
      yield value
    }
  } finally {
    stream.destroy()
  }
  if (sum !== entry.crc32) throw damaged()
}
