import type { ReadEntry } from './entry.ts'
import { damaged, refused } from './refused.ts'
import { Taker } from './taker.ts'
import { blockSize, checksum, padding } from './tar.ts'
import { type Description, describe, MAX_PATH_BYTES, numberAt, pathOf, sizeAt, textAt } from './tar-fields.ts'
import { checkedExtents, type Holes, holesDescribed, holesInHeader } from './tar-sparse.ts'

/** Reads the entries of a tar archive. */
export async function* tarEntries(bytes: AsyncIterable<Buffer>): AsyncGenerator<ReadEntry> {
  const taker = new Taker(bytes)
  const headers = new ExtendedHeaders(taker)
  for (;;) {
    const header = await taker.take(blockSize)
    if (header.every((byte) => byte === 0)) return taker.drain()
    if (!isIntact(header)) throw damaged()
    if (await headers.read(header)) continue
    const description = headers.next()
    const entry = entryOf(header, description)
    const stored = storedIn(header, description)
    const holes = entry.type === 'other' ? undefined : await holesOf(header, description, taker)
    let left = stored - (holes?.mapBytes ?? 0)
    if (left < 0) throw damaged()
    const size = entry.type === 'directory' ? 0 : stored
    yield {
      ...entry,
      size,
      ...(holes && { size: holes.size, extents: checkedExtents(holes, left) }),
      async *content() {
        for await (const piece of taker.pieces(left)) {
          left -= piece.length
          yield piece
        }
      },
    }
    await taker.pass(left + padding(stored))
  }
}

/** Whether a first block is a tar's. */
export function isTar(block: Buffer): boolean {
  try {
    return block.some((byte) => byte !== 0) && isIntact(block)
  } catch {
    return false
  }
}

/** Old programs add up signed bytes. */
function isIntact(header: Buffer): boolean {
  const [sum, own] = [checksum(header), numberAt(header, 148, 8)]
  const signed = header.reduce((high, byte, at) => high + (byte > 127 && (at < 148 || at >= 156) ? 256 : 0), 0)
  return own === sum || own === sum - signed
}

function holesOf(header: Buffer, description: Description, taker: Taker): Promise<Holes> | undefined {
  if (codeOf(header) === 'S') return holesInHeader(header, taker)
  return description.sparse ? holesDescribed(description, taker) : undefined
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
  X: describe,
  g: () => {},
  L: (description, body) => {
    description.path = pathOf(textAt(body, 0, body.length))
  },
  K: (description, body) => {
    description.linkpath = pathOf(textAt(body, 0, body.length))
  },
}

/** No entries: a volume's label, lists of names, access lists. */
const SKIPPED = 'VNAI'

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
    if (!reading && !SKIPPED.includes(code)) return false
    const size = sizeAt(header, 124, 12)
    this.#count++
    this.#bytes += size
    this.#budget -= size
    this.#refuseBeyond()
    const body = await this.#taker.take(size)
    await this.#taker.pass(padding(size))
    if (reading) reading(this.#description, body)
    else this.#description = {}
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

/** Links, devices, directories and FIFOs, which have no bytes, whatever their size says. */
const WITHOUT_BYTES = '123456'

/** The bytes that follow its headers. */
function storedIn(header: Buffer, description: Description): number {
  if (WITHOUT_BYTES.includes(codeOf(header))) return 0
  return description.size ?? sizeAt(header, 124, 12)
}

/** By type code. GNU's incremental archives list a directory's names in a `D`. */
const types: Readonly<Record<string, ReadEntry['type']>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  S: 'file',
  '1': 'hard',
  '2': 'link',
  '5': 'directory',
  D: 'directory',
}

const typeOf = (code: string): ReadEntry['type'] => (Object.hasOwn(types, code) ? types[code]! : 'other')

function entryOf(header: Buffer, description: Description): Omit<ReadEntry, 'size' | 'content'> {
  const code = codeOf(header)
  const path = (description.sparse && description.sparsePath) || (description.path ?? pathIn(header))
  if (code === 'M') throw refused('it is the further volume of an archive in several parts')
  const type = code === '\0' && path.at(-1) === slash ? 'directory' : typeOf(code)
  return {
    path,
    type,
    mode: numberAt(header, 100, 8) & 0o3777,
    mtime: description.mtime ?? numberAt(header, 136, 12),
    ...(description.linked && { linked: true }),
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
