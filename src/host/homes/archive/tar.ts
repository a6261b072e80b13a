import type { ArchiveFormat, WrittenEntry } from './format.ts'
import { LINKED } from './tar-fields.ts'

/** A tar archive consists of blocks of this size: a header, then the file's bytes, padded with zeros. */
export const blockSize = 512

export const tarFormat: ArchiveFormat = {
  hardLinks: true,
  async *entry(entry, content) {
    yield headerOf(entry)
    if (!content) return
    yield* content
    if (padding(entry.size) > 0) yield Buffer.alloc(padding(entry.size))
  },
  end: () => endOfArchive(),
}

const codes = { file: '0', hard: '1', link: '2', directory: '5' } as const
const MAX_NAME_LENGTH = 100
const MAX_OCTAL = 0o77777777777

/** The number of bytes that fill up the last block. */
export const padding = (size: number): number => (blockSize - (size % blockSize)) % blockSize

/** Two empty blocks. */
export const endOfArchive = (): Buffer => Buffer.alloc(2 * blockSize)

/** An entry's header, preceded by a pax header if a value does not fit the old format. */
export function headerOf(entry: WrittenEntry): Buffer {
  const path = entry.type === 'directory' ? Buffer.concat([entry.path, Buffer.from('/')]) : entry.path
  const records = [
    ...(path.length > MAX_NAME_LENGTH ? [record('path', path)] : []),
    ...((entry.target?.length ?? 0) > MAX_NAME_LENGTH ? [record('linkpath', entry.target!)] : []),
    ...(entry.size > MAX_OCTAL ? [record('size', Buffer.from(String(entry.size)))] : []),
    ...exactTime(entry),
    ...(entry.linked ? [record(LINKED, Buffer.from('1'))] : []),
  ]
  const own = block({ ...entry, path: path.subarray(0, MAX_NAME_LENGTH), code: codes[entry.type] })
  if (records.length === 0) return own
  const body = Buffer.concat(records)
  const pax = block({ path: Buffer.from('PaxHeader'), mode: 0o644, mtime: 0, size: body.length, code: 'x' })
  return Buffer.concat([pax, body, Buffer.alloc(padding(body.length)), own])
}

/** A time that is not an octal number of seconds. */
function exactTime({ mtimeNs }: WrittenEntry): Buffer[] {
  if (mtimeNs === undefined || (mtimeNs >= 0n && mtimeNs % SECOND === 0n)) return []
  const before = mtimeNs < 0n
  const digits = String(before ? -mtimeNs : mtimeNs).padStart(10, '0')
  return [record('mtime', Buffer.from(`${before ? '-' : ''}${digits.slice(0, -9)}.${digits.slice(-9)}`))]
}

const SECOND = 1_000_000_000n

/** `LENGTH NAME=VALUE\n`, where the length counts itself. */
function record(name: string, value: Buffer): Buffer {
  const rest = Buffer.concat([Buffer.from(` ${name}=`), value, Buffer.from('\n')])
  let length = rest.length
  while (length !== rest.length + String(length).length) length = rest.length + String(length).length
  return Buffer.concat([Buffer.from(String(length)), rest])
}

type HeaderFields = Omit<WrittenEntry, 'type' | 'mtimeNs' | 'linked'> & { readonly code: string }

function block({ path, mode, mtime, size, target, code }: HeaderFields): Buffer {
  const header = Buffer.alloc(blockSize)
  path.copy(header, 0)
  header.write(octal(mode, 7), 100)
  header.write(octal(0, 7), 108)
  header.write(octal(0, 7), 116)
  header.write(octal(Math.min(size, MAX_OCTAL), 11), 124)
  header.write(octal(Math.max(0, Math.min(mtime, MAX_OCTAL)), 11), 136)
  header.write(code, 156)
  target?.subarray(0, MAX_NAME_LENGTH).copy(header, 157)
  header.write('ustar\0', 257)
  header.write('00', 263)
  header.write(`${checksum(header).toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0')

/** The sum of all bytes, with the checksum field counted as blanks. */
export function checksum(header: Buffer): number {
  let sum = 8 * 0x20
  for (let at = 0; at < blockSize; at++) if (at < 148 || at >= 156) sum += header[at]!
  return sum
}
