import type { ReadEntry } from './entry.ts'
import { damaged, refused } from './refused.ts'
import { Taker } from './taker.ts'
import { blockSize, checksum, padding } from './tar.ts'
import { type Description, describe, MAX_PATH_BYTES, numberAt, pathOf, sizeAt, textAt } from './tar-fields.ts'

/** Reads the entries of a tar archive: only files, directories and links. */
export async function* tarEntries(bytes: AsyncIterable<Buffer>): AsyncGenerator<ReadEntry> {
  const taker = new Taker(bytes)
  const headers = new ExtendedHeaders(taker)
  for (;;) {
    const header = await taker.take(blockSize)
    if (header.every((byte) => byte === 0)) return taker.drain()
    if (checksum(header) !== numberAt(header, 148, 8)) throw damaged()
    if (await headers.read(header)) continue
    const description = headers.next()
    let left = sizeOf(header, description)
    const size = left
    yield {
      ...entryOf(header, description),
      size,
      async *content() {
        for await (const piece of taker.pieces(left)) {
          left -= piece.length
          yield piece
        }
      },
    }
    await taker.pass(left + padding(size))
  }
}

/** Longer than any path, and small enough to be read at once. */
const MAX_HEADERS_BYTES = 1024 * 1024
/** Between two entries. */
const MAX_HEADERS = 16
/** Over a whole archive, each entry adds this much, enough for the longest path: headers alone end soon. */
const HEADERS_BYTES_PER_ENTRY = MAX_PATH_BYTES + 1024

type Reading = (description: Description, body: Buffer) => void

/** By type code: headers that describe the next entry; in GNU's format its name or link target. */
const extended: Readonly<Record<string, Reading>> = {
  x: describe,
  g: () => {},
  L: (description, body) => {
    description.path = pathOf(textAt(body, 0, body.length))
  },
  K: (description, body) => {
    description.linkpath = pathOf(textAt(body, 0, body.length))
  },
}

/** Collects what headers say of the next entry, within limits that are checked before they are read. */
class ExtendedHeaders {
  readonly #taker: Taker
  #description: Description = {}
  #count = 0
  #bytes = 0
  #budget = MAX_HEADERS_BYTES

  constructor(taker: Taker) {
    this.#taker = taker
  }

  /** Whether it was such a header. */
  async read(header: Buffer): Promise<boolean> {
    const code = codeOf(header)
    const reading = Object.hasOwn(extended, code) ? extended[code]! : undefined
    if (!reading) return false
    const size = sizeAt(header, 124, 12)
    this.#count++
    this.#bytes += size
    this.#budget -= size
    this.#refuseBeyond()
    const body = await this.#taker.take(size)
    await this.#taker.pass(padding(size))
    reading(this.#description, body)
    return true
  }

  #refuseBeyond(): void {
    if (this.#count > MAX_HEADERS) throw refused(`an entry in it has more than ${MAX_HEADERS} extended headers`)
    if (this.#bytes > MAX_HEADERS_BYTES) throw refused('the extended headers of an entry in it exceed 1 MiB')
    if (this.#budget < 0) throw refused('it consists mostly of extended headers')
  }

  /** The description of the entry whose own header has been read. */
  next(): Description {
    const description = this.#description
    this.#description = {}
    this.#count = 0
    this.#bytes = 0
    this.#budget += HEADERS_BYTES_PER_ENTRY
    return description
  }
}

const codeOf = (header: Buffer): string => String.fromCharCode(header[156]!)

function sizeOf(header: Buffer, description: Description): number {
  if (['1', '2', '5'].includes(codeOf(header))) return 0
  return description.size ?? sizeAt(header, 124, 12)
}

const types: Readonly<Record<string, ReadEntry['type']>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'hard',
  '2': 'link',
  '5': 'directory',
}

const typeOf = (code: string): ReadEntry['type'] | undefined => (Object.hasOwn(types, code) ? types[code] : undefined)

function entryOf(header: Buffer, description: Description): Omit<ReadEntry, 'size' | 'content'> {
  const [code, path] = [codeOf(header), description.path ?? pathIn(header)]
  if (code === 'S' || description.sparse) throw refused('it was made with the option --sparse')
  const type = code === '\0' && path.at(-1) === slash ? 'directory' : typeOf(code)
  if (!type) throw refused('it contains a device, a FIFO, or another entry that is not a file, a directory or a link')
  return {
    path,
    type,
    mode: numberAt(header, 100, 8) & 0o777,
    mtime: description.mtime ?? numberAt(header, 136, 12),
    ...((type === 'link' || type === 'hard') && { target: description.linkpath ?? textAt(header, 157, 100) }),
  }
}

const slash = 0x2f

/** A path over 100 bytes has its beginning in a separate field of POSIX headers. */
function pathIn(header: Buffer): Buffer {
  const name = textAt(header, 0, 100)
  const prefix = header.toString('latin1', 257, 263) === 'ustar\0' ? textAt(header, 345, 155) : Buffer.alloc(0)
  return prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name])
}
