import { HostError } from '../error.ts'
import { blockSize, checksum, padding, type TarEntry } from './tar.ts'

const broken = (): HostError => new HostError('stage', 'The archive is damaged: it cannot be read.')

/** Takes bytes from a stream as they are asked for. */
class Taker {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#chunks = bytes[Symbol.asyncIterator]()
  }

  /** So many bytes, in pieces as they come. */
  async *pieces(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#rest.length === 0) await this.#next()
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  async take(size: number): Promise<Buffer> {
    const pieces: Buffer[] = []
    for await (const piece of this.pieces(size)) pieces.push(piece)
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
  }

  async pass(size: number): Promise<void> {
    for await (const _ of this.pieces(size));
  }

  /** To the end, so that a checksum at the end of what is compressed is looked at. */
  async drain(): Promise<void> {
    for (;;) if ((await this.#chunks.next()).done) return
  }

  async #next(): Promise<void> {
    const { done, value } = await this.#chunks.next()
    if (done) throw broken()
    this.#rest = value
  }
}

/** An entry of an archive, and the bytes of its file, which must be read before the next entry. */
export interface ReadEntry extends TarEntry {
  readonly content: () => AsyncGenerator<Buffer>
}

/** Reads the entries of a tar archive: files, directories and links, and nothing else. */
export async function* entriesOf(bytes: AsyncIterable<Buffer>): AsyncGenerator<ReadEntry> {
  const taker = new Taker(bytes)
  let told: ReadonlyMap<string, Buffer> = new Map()
  for (;;) {
    const header = await taker.take(blockSize)
    if (header.every((byte) => byte === 0)) return taker.drain()
    if (checksum(header) !== numberAt(header, 148, 8)) throw broken()
    const code = String.fromCharCode(header[156]!)
    const size = Number(told.get('size')?.toString() ?? numberAt(header, 124, 12))
    if (code === 'x') {
      told = recordsOf(await taker.take(size))
      await taker.pass(padding(size))
      continue
    }
    let left = size
    yield {
      ...entryOf(header, code, told),
      size,
      async *content() {
        for await (const piece of taker.pieces(left)) {
          left -= piece.length
          yield piece
        }
      },
    }
    await taker.pass(left + padding(size))
    told = new Map()
  }
}

const types: Readonly<Record<string, TarEntry['type']>> = { '0': 'file', '2': 'link', '5': 'directory' }

function entryOf(header: Buffer, code: string, told: ReadonlyMap<string, Buffer>): Omit<TarEntry, 'size'> {
  const type = types[code]
  if (!type) throw new HostError('stage', 'The archive contains an entry that is not a file, a directory or a link.')
  const path = told.get('path') ?? textAt(header, 0, 100)
  const target = told.get('linkpath') ?? textAt(header, 157, 100)
  return {
    path: type === 'directory' && path.at(-1) === 0x2f ? path.subarray(0, -1) : path,
    type,
    mode: numberAt(header, 100, 8) & 0o777,
    mtime: numberAt(header, 136, 12),
    ...(type === 'link' && { target }),
  }
}

function textAt(header: Buffer, from: number, length: number): Buffer {
  const field = header.subarray(from, from + length)
  const end = field.indexOf(0)
  return Buffer.from(end < 0 ? field : field.subarray(0, end))
}

function numberAt(header: Buffer, from: number, length: number): number {
  const text = header.toString('latin1', from, from + length).replace(/[\0 ]+$/, '')
  if (!/^ *[0-7]*$/.test(text)) throw broken()
  return Number.parseInt(text.trim() || '0', 8)
}

/** `LENGTH NAME=VALUE\n`, one after the other. */
function recordsOf(body: Buffer): ReadonlyMap<string, Buffer> {
  const records = new Map<string, Buffer>()
  for (let at = 0; at < body.length; ) {
    const blank = body.indexOf(0x20, at)
    const length = Number(body.toString('latin1', at, blank))
    const equals = body.indexOf(0x3d, blank)
    if (blank < 0 || equals < 0 || !(length > 0) || at + length > body.length) throw broken()
    records.set(body.toString('latin1', blank + 1, equals), body.subarray(equals + 1, at + length - 1))
    at += length
  }
  return records
}
