import type { FileHandle } from 'node:fs/promises'
import { TextDecoder } from 'node:util'
import { FileError } from '../contract/error.ts'
import { type AnyCompression, asTar, decompress, through } from '../homes/archive/compress.ts'
import type { ReadEntry } from '../homes/archive/entry.ts'
import { isTar, tarEntries } from '../homes/archive/tar-read.ts'
import { zipEntries } from '../homes/archive/zip-read.ts'
import { DumpError } from './error.ts'
import { encodingOf, otherFormat, type Packed, packingOf, severalDumps, withoutDump } from './formats.ts'

type Bytes = AsyncIterable<Buffer>

export interface SourceOptions {
  /** Which dump to take, of an archive with several. */
  readonly from?: string | undefined
  /** The most bytes that are unpacked. */
  readonly maxBytes: number
  readonly signal?: AbortSignal | undefined
}

const START_BYTES = 512
/** A dump in an archive that is compressed: `.sql.gz` in `.tar.gz`. */
const MAX_LAYERS = 4
const MAX_ENTRIES = 100_000

/** A dump's statements, unpacked and in UTF-8, without the mark at their beginning. */
export async function* dumpIn(file: FileHandle, options: SourceOptions): AsyncGenerator<Buffer> {
  const opened = () => piecesOf(file)
  yield* decoded(bounded(await unpacked(opened, options, file), options.maxBytes))
}

const PIECE_BYTES = 256 * 1024

/** The file stays open after a reader stops. */
async function* piecesOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Each layer can be opened again: an archive is listed before the one dump in it is read. */
async function unpacked(open: () => Bytes, options: SourceOptions, file?: FileHandle, layers = 0): Promise<Bytes> {
  if (layers > MAX_LAYERS) throw new DumpError('The file is packed too many times: unpack it first.')
  const start = await startOf(open())
  if (start.length === 0) throw new DumpError('The file is empty.')
  const packed = packingOf(start) ?? (start.length === START_BYTES && isTar(start) ? 'tar' : undefined)
  if (packed === undefined) return plain(open, start)
  const next = nextLayer(packed, open, options, file)
  return unpacked(await next, options, undefined, layers + 1)
}

function plain(open: () => Bytes, start: Buffer): Bytes {
  const other = otherFormat(start)
  if (other !== undefined) throw new DumpError(other)
  return open()
}

async function nextLayer(
  packed: Exclude<Packed, undefined>,
  open: () => Bytes,
  options: SourceOptions,
  file: FileHandle | undefined,
): Promise<() => Bytes> {
  if (packed === 'zip' || packed === '7z') {
    if (!file) throw new DumpError(`It is a ${packed} archive in another file: unpack it first.`)
    return onlyDump(() => (packed === 'zip' ? zipEntries(file) : tarEntries(asTar(file, options.signal))), options)
  }
  if (packed === 'tar') return onlyDump(() => tarEntries(open()), options)
  return () => decompressed(open(), packed, options.signal)
}

async function* decompressed(
  bytes: Bytes,
  as: AnyCompression,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer> {
  try {
    yield* through(bytes, decompress(as, signal))
  } catch (error) {
    signal?.throwIfAborted()
    throw error instanceof FileError ? error : damagedBy(error as NodeJS.ErrnoException, as)
  }
}

const packages: Readonly<Record<string, string>> = { zstd: 'zstd', bzip2: 'bzip2', xz: 'xz-utils' }

const damagedBy = (error: NodeJS.ErrnoException, as: AnyCompression): Error =>
  error.syscall?.startsWith('spawn')
    ? new FileError('not-configured', `This host cannot read ${as} files: install the package ${packages[as]}.`)
    : new DumpError(`The file is damaged or ends early: it cannot be unpacked (${as}). Make or upload it again.`)

const isDump = (path: string): boolean => /\.(?:sql|mysql|dump)(?:\.(?:gz|zst|bz2|xz))?$/i.test(path)
const isHidden = (path: string): boolean => /(?:^|\/)(?:__MACOSX\/|\._)/.test(path)
const stem = (path: string): string =>
  (path.split('/').at(-1) ?? '').replace(/(?:\.mysql)?\.(?:sql|mysql|dump)(?:\.\w+)?$/i, '')

/** The one dump in an archive. */
async function onlyDump(entries: () => AsyncIterable<ReadEntry>, { from }: SourceOptions): Promise<() => Bytes> {
  const names: string[] = []
  for await (const { path, type } of entries()) {
    if (type === 'file' && !isHidden(path.toString())) names.push(path.toString())
    if (names.length > MAX_ENTRIES) throw new DumpError(`The archive has more than ${MAX_ENTRIES} files.`)
  }
  const dumps = names.filter(isDump)
  if (dumps.length === 0) throw new DumpError(withoutDump(names))
  const [chosen, another] = dumps.length === 1 ? dumps : dumps.filter((one) => one === from || stem(one) === from)
  if (chosen === undefined || another !== undefined) throw new DumpError(severalDumps(dumps))
  return () => contentOf(entries(), chosen)
}

async function* contentOf(entries: AsyncIterable<ReadEntry>, chosen: string): AsyncGenerator<Buffer> {
  for await (const entry of entries) {
    if (entry.type !== 'file' || entry.path.toString() !== chosen) continue
    yield* entry.content()
    return
  }
}

async function startOf(bytes: Bytes): Promise<Buffer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of bytes) {
    pieces.push(piece)
    length += piece.length
    if (length >= START_BYTES) break
  }
  return Buffer.concat(pieces).subarray(0, START_BYTES)
}

async function* bounded(bytes: Bytes, max: number): AsyncGenerator<Buffer> {
  let left = max
  for await (const piece of bytes) {
    left -= piece.length
    if (left < 0)
      throw new DumpError(
        `Unpacked, the dump has more than ${Math.floor(max / 1024 ** 2)} MB, for which there is no room for databases on this host.`,
      )
    yield piece
  }
}

async function* decoded(bytes: Bytes): AsyncGenerator<Buffer> {
  let decoder: TextDecoder | undefined
  let isFirst = true
  for await (const piece of bytes) {
    if (isFirst) {
      isFirst = false
      const encoding = encodingOf(piece)
      if (encoding !== 'utf-8') decoder = new TextDecoder(encoding)
      if (piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf) {
        yield piece.subarray(3)
        continue
      }
    }
    yield decoder ? Buffer.from(decoder.decode(piece, { stream: true })) : piece
  }
  if (decoder) yield Buffer.from(decoder.decode())
}
