import { crc32, gzipSync } from 'node:zlib'

/** An entry as a stranger may write it. */
export interface Entry {
  readonly path: string | Buffer
  /** As tar encodes it: a file by default. */
  readonly code?: string
  readonly mode?: number
  readonly target?: string
  readonly content?: string | Buffer
  /** The size in its header, if that is wrong. */
  readonly size?: number
  /** The host system in a zip: Unix by default. */
  readonly system?: number
}

const block = 512
const octal = (value: number, length: number): string => value.toString(8).padStart(length, '0')

function headerOf({ path, code = '0', mode = 0o644, target = '', content = '', size }: Entry): Buffer {
  const header = Buffer.alloc(block)
  Buffer.from(path).copy(header, 0, 0, 100)
  header.write(octal(mode, 7), 100)
  header.write(octal(size ?? Buffer.byteLength(content), 11), 124)
  header.write(octal(1_700_000_000, 11), 136)
  header.write('        ', 148)
  header.write(code, 156)
  header.write(target, 157)
  header.write('ustar\0', 257)
  header.write('00', 263)
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
    148,
  )
  return header
}

const max = 100

/** Encoded by pax, as for a path that is too long for a header. */
function longName({ path }: Entry): Buffer[] {
  if (path.length <= max) return []
  const text = ` path=${path}\n`
  const length = text.length + String(text.length + 4).length
  return [tarOf({ path: 'PaxHeader', code: 'x', content: `${length}${text}` }).subarray(0, -2 * block)]
}

export const tarOf = (...entries: readonly Entry[]): Buffer =>
  Buffer.concat([
    ...entries.flatMap((entry) => {
      const content = Buffer.from(entry.content ?? '')
      return [...longName(entry), headerOf(entry), content, Buffer.alloc((block - (content.length % block)) % block)]
    }),
    Buffer.alloc(2 * block),
  ])

export const tarGzOf = (...entries: readonly Entry[]): Buffer => gzipSync(tarOf(...entries))

const kinds: Readonly<Record<string, number>> = {
  '0': 0o100000,
  '2': 0o120000,
  '3': 0o020000,
  '5': 0o040000,
  '6': 0o010000,
}

/** What has no field in a zip: a link's target is its content. */
function zipEntry({ path, code = '0', mode = 0o644, target, content = '', size, system = 3 }: Entry, at: number) {
  const name = Buffer.from(path)
  const body = Buffer.from(target ?? content)
  const common = Buffer.alloc(26)
  common.writeUInt16LE(20, 0)
  common.writeUInt16LE(0x21, 8)
  common.writeUInt32LE(crc32(body), 10)
  common.writeUInt32LE(body.length, 14)
  common.writeUInt32LE(size ?? body.length, 18)
  common.writeUInt16LE(name.length, 22)
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, name, body])
  const rest = Buffer.alloc(14)
  rest.writeUInt32LE(((kinds[code]! | mode) << 16) >>> 0, 6)
  rest.writeUInt32LE(at, 10)
  const central = Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, system]), common, rest, name])
  return { local, central }
}

export function zipOf(...entries: readonly Entry[]): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let at = 0
  for (const entry of entries) {
    const { local, central } = zipEntry(entry, at)
    locals.push(local)
    centrals.push(central)
    at += local.length
  }
  return zipFrom(locals, centrals)
}

/** Entries that all have their content at the archive's start, where it is stored once. */
export function overlappingZip(count: number, content: Buffer): Buffer {
  const { local } = zipEntry({ path: 'f0000', content }, 0)
  const names = Array.from({ length: count }, (_, nth) => `f${String(nth).padStart(4, '0')}`)
  return zipFrom(
    [local],
    names.map((path) => zipEntry({ path, content }, 0).central),
  )
}

function zipFrom(locals: readonly Buffer[], centrals: readonly Buffer[]): Buffer {
  const at = locals.reduce((sum, { length }) => sum + length, 0)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(centrals.length, 8)
  end.writeUInt16LE(centrals.length, 10)
  end.writeUInt32LE(Buffer.concat(centrals).length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...locals, ...centrals, end])
}
