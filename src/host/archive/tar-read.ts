import type { ReadEntry } from './entry.ts'
import { damaged, refused } from './refused.ts'
import { Taker } from './taker.ts'
import { blockSize, checksum, padding } from './tar.ts'
import { numberAt, recordsOf, textAt } from './tar-fields.ts'

type Told = ReadonlyMap<string, Buffer>

/** Reads the entries of a tar archive: only files, directories and links. */
export async function* tarEntries(bytes: AsyncIterable<Buffer>): AsyncGenerator<ReadEntry> {
  const taker = new Taker(bytes)
  let told: Told = new Map()
  for (;;) {
    const header = await taker.take(blockSize)
    if (header.every((byte) => byte === 0)) return taker.drain()
    if (checksum(header) !== numberAt(header, 148, 8)) throw damaged()
    const more = await toldBy(header, taker)
    if (more) {
      told = new Map([...told, ...more])
      continue
    }
    let left = sizeOf(header, told)
    const size = left
    yield {
      ...entryOf(header, told),
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

/** Longer than any path, but small enough to hold many in memory. */
const mostTold = 1024 * 1024
/** By type code: entries that describe the next one; in GNU's format its name or link target. */
const tellers: Readonly<Record<string, (body: Buffer) => Told>> = {
  x: recordsOf,
  g: () => new Map(),
  L: (body) => new Map([['path', textAt(body, 0, body.length)]]),
  K: (body) => new Map([['linkpath', textAt(body, 0, body.length)]]),
}

async function toldBy(header: Buffer, taker: Taker): Promise<Told | undefined> {
  const read = tellers[codeOf(header)]
  if (!read) return undefined
  const size = numberAt(header, 124, 12)
  if (size > mostTold) throw damaged()
  const body = await taker.take(size)
  await taker.pass(padding(size))
  return read(body)
}

const codeOf = (header: Buffer): string => String.fromCharCode(header[156]!)

function sizeOf(header: Buffer, told: Told): number {
  if (['1', '2', '5'].includes(codeOf(header))) return 0
  const size = Number(told.get('size')?.toString('latin1') ?? numberAt(header, 124, 12))
  if (!Number.isSafeInteger(size) || size < 0) throw damaged()
  return size
}

const types: Readonly<Record<string, ReadEntry['type']>> = {
  '0': 'file',
  '\0': 'file',
  '7': 'file',
  '1': 'hard',
  '2': 'link',
  '5': 'directory',
}

function entryOf(header: Buffer, told: Told): Omit<ReadEntry, 'size' | 'content'> {
  const [code, path] = [codeOf(header), told.get('path') ?? pathIn(header)]
  if (code === 'S' || [...told.keys()].some((name) => name.startsWith('GNU.sparse.')))
    throw refused('it was made with the option --sparse')
  const type = code === '\0' && path.at(-1) === slash ? 'directory' : types[code]
  if (!type) throw refused('it contains a device, a FIFO, or another entry that is not a file, a directory or a link')
  const mtime = Number(told.get('mtime')?.toString('latin1') ?? numberAt(header, 136, 12))
  return {
    path,
    type,
    mode: numberAt(header, 100, 8) & 0o777,
    mtime: Number.isFinite(mtime) ? mtime : 0,
    ...((type === 'link' || type === 'hard') && { target: told.get('linkpath') ?? textAt(header, 157, 100) }),
  }
}

const slash = 0x2f

/** A path over 100 bytes has its beginning in a separate field of POSIX headers. */
function pathIn(header: Buffer): Buffer {
  const name = textAt(header, 0, 100)
  const prefix = header.toString('latin1', 257, 263) === 'ustar\0' ? textAt(header, 345, 155) : Buffer.alloc(0)
  return prefix.length === 0 ? name : Buffer.concat([prefix, Buffer.from('/'), name])
}
