import { isUtf8 } from 'node:buffer'
import { crc32, createDeflateRaw } from 'node:zlib'
import { through } from './compress.ts'
import type { ArchiveFormat, WrittenEntry } from './format.ts'
import { dosTime, elsewhere, exactTime, fieldsOf, isLarge, largeValues } from './zip-fields.ts'

const kinds = { file: 0o100000, hard: 0o100000, link: 0o120000, directory: 0o040000 } as const
const [sizesFollow, nameIsUtf8] = [1 << 3, 1 << 11]
const [version, versionOfLarge] = [20, 45]
const madeOnUnix = 3 << 8
/** Compressed data may be slightly larger than the original. */
const mayBeLarge = 0xfff00000

/** An entry's data for the central directory. */
interface Written {
  readonly entry: WrittenEntry
  readonly name: Buffer
  readonly flags: number
  readonly method: number
  readonly offset: number
  crc: number
  packed: number
  size: number
}

/** A zip archive, written sequentially; one instance per archive. */
export class ZipFormat implements ArchiveFormat {
  readonly hardLinks = false
  readonly #directory: Buffer[] = []
  #at = 0

  async *entry(entry: WrittenEntry, content?: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const bytes = content ? this.#file(entry, content) : this.#small(entry)
    for await (const piece of bytes) {
      this.#at += piece.length
      yield piece
    }
  }

  end(): Buffer {
    const directory = Buffer.concat(this.#directory)
    return Buffer.concat([directory, endOf(this.#directory.length, directory.length, this.#at)])
  }

  /** A directory has no content; a link's content is its target. */
  async *#small(entry: WrittenEntry): AsyncGenerator<Buffer> {
    const body = entry.target ?? Buffer.alloc(0)
    const written = { ...this.#begin(entry, 0), crc: crc32(body), packed: body.length, size: body.length }
    yield Buffer.concat([localHeader(written), body])
    this.#directory.push(centralHeader(written))
  }

  async *#file(entry: WrittenEntry, content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const written = this.#begin(entry, sizesFollow)
    yield localHeader(written)
    for await (const piece of through(summed(content, written), createDeflateRaw())) {
      written.packed += piece.length
      yield piece
    }
    yield sizesOf(written)
    this.#directory.push(centralHeader(written))
  }

  #begin(entry: WrittenEntry, flags: number): Written {
    const name = entry.type === 'directory' ? Buffer.concat([entry.path, Buffer.from('/')]) : entry.path
    const method = flags & sizesFollow ? 8 : 0
    const common = { entry, name, method, offset: this.#at, crc: 0, packed: 0, size: 0 }
    return { ...common, flags: flags | (isUtf8(name) ? nameIsUtf8 : 0) }
  }
}

async function* summed(content: AsyncIterable<Buffer>, written: Written): AsyncGenerator<Buffer> {
  for await (const piece of content) {
    written.crc = crc32(piece, written.crc)
    written.size += piece.length
    yield piece
  }
}

const isLong = ({ entry }: Written): boolean => entry.size >= mayBeLarge

function localHeader(written: Written): Buffer {
  const { entry, name, flags, method, crc, packed, size } = written
  const [long, [time, date]] = [isLong(written), dosTime(entry.mtime)]
  const extra = Buffer.concat([exactTime(entry.mtime), ...(long ? [fieldsOf([1, 2], [16, 2], [0, 8], [0, 8])] : [])])
  const head = fieldsOf(
    [0x04034b50, 4],
    [long ? versionOfLarge : version, 2],
    [flags, 2],
    [method, 2],
    [time, 2],
    [date, 2],
  )
  const sizes = fieldsOf([crc, 4], [long ? elsewhere : packed, 4], [long ? elsewhere : size, 4])
  return Buffer.concat([head, sizes, fieldsOf([name.length, 2], [extra.length, 2]), name, extra])
}

function sizesOf(written: Written): Buffer {
  const bytes = isLong(written) ? 8 : 4
  return fieldsOf([0x08074b50, 4], [written.crc, 4], [written.packed, bytes], [written.size, bytes])
}

function centralHeader(written: Written): Buffer {
  const { entry, name, flags, method, crc, packed, size, offset } = written
  const [time, date] = dosTime(entry.mtime)
  const large = largeValues(size, packed, offset)
  const extra = Buffer.concat([exactTime(entry.mtime), large])
  const needs = large.length > 0 || isLong(written) ? versionOfLarge : version
  const four = (value: number): readonly [number, 4] => [isLarge(value) ? elsewhere : value, 4]
  const attributes = (kinds[entry.type] | entry.mode) * 0x10000 + (entry.type === 'directory' ? 0x10 : 0)
  const head = fieldsOf(
    [0x02014b50, 4],
    [madeOnUnix | needs, 2],
    [needs, 2],
    [flags, 2],
    [method, 2],
    [time, 2],
    [date, 2],
  )
  const sizes = fieldsOf([crc, 4], four(packed), four(size), [name.length, 2], [extra.length, 2])
  return Buffer.concat([head, sizes, fieldsOf([0, 2], [0, 2], [0, 2], [attributes, 4], four(offset)), name, extra])
}

const MAX_UINT16 = 0xffff

/** The archive's end record: the number of entries, and where the central directory begins. */
function endOf(count: number, size: number, at: number): Buffer {
  const short = Math.min(count, MAX_UINT16)
  const end = fieldsOf([0x06054b50, 4], [0, 4], [short, 2], [short, 2], [Math.min(size, elsewhere), 4])
  const rest = fieldsOf([Math.min(at, elsewhere), 4], [0, 2])
  if (count < MAX_UINT16 && !isLarge(size) && !isLarge(at)) return Buffer.concat([end, rest])
  const large = fieldsOf(
    [0x06064b50, 4],
    [44, 8],
    [madeOnUnix | versionOfLarge, 2],
    [versionOfLarge, 2],
    [0, 4],
    [0, 4],
  )
  const values = fieldsOf([count, 8], [count, 8], [size, 8], [at, 8])
  const locator = fieldsOf([0x07064b50, 4], [0, 4], [at + size, 8], [1, 4])
  return Buffer.concat([large, values, locator, end, rest])
}
