import { damaged, refused } from './refused.ts'

/** A header field's text, up to its first NUL. */
export function textAt(header: Buffer, from: number, length: number): Buffer {
  const field = header.subarray(from, from + length)
  const end = field.indexOf(0)
  return Buffer.from(end < 0 ? field : field.subarray(0, end))
}

/** An octal number, or a binary one if the first bit is set. */
export function numberAt(header: Buffer, from: number, length: number): number {
  if (header[from]! & 0x80) return numberOf(header.subarray(from, from + length))
  const field = header.toString('latin1', from, from + length)
  const digits = field.replace(/^ +/, '').replace(/[\0 ].*$/s, '')
  if (!/^[0-7]*$/.test(digits)) throw damaged()
  return Number.parseInt(digits || '0', 8)
}

/** A size, which is never negative. */
export function sizeAt(header: Buffer, from: number, length: number): number {
  if ((header[from]! & 0xc0) === 0xc0) throw damaged()
  return numberAt(header, from, length)
}

/** Times before 1970 become 0. */
function numberOf(bytes: Buffer): number {
  if (bytes[0]! & 0x40) return 0
  let number = bytes[0]! & 0x3f
  for (const byte of bytes.subarray(1)) number = number * 256 + byte
  if (!Number.isSafeInteger(number)) throw damaged()
  return number
}

/** What headers say of the next entry, beyond its own header. */
export interface Description {
  path?: Buffer
  linkpath?: Buffer
  size?: number
  mtime?: number
  /** Made with the option --sparse. */
  sparse?: true
}

/** The longest `LENGTH` of a record: any number of bytes that a header may have. */
const LENGTH_DIGITS = 7

/**
 * `LENGTH NAME=VALUE\n`, one after the other. Only the names that are used are read, and values are copied: a slice
 * would keep the whole header in memory. Each byte is looked at once, whatever the lengths say.
 */
export function describe(description: Description, body: Buffer): void {
  for (let at = 0; at < body.length; ) {
    const blank = body.subarray(at, at + LENGTH_DIGITS + 1).indexOf(0x20)
    const length = integer(body.toString('latin1', at, at + Math.max(blank, 0)))
    if (length === undefined || length <= blank || at + length > body.length) throw damaged()
    const record = body.subarray(at + blank + 1, at + length - 1)
    const equals = record.indexOf(0x3d)
    if (equals < 0) throw damaged()
    describeBy(description, record.subarray(0, equals), record.subarray(equals + 1))
    at += length
  }
}

const sparse = Buffer.from('GNU.sparse.')
/** Longer than any name that is used. */
const NAME_BYTES = 16

function describeBy(description: Description, name: Buffer, value: Buffer): void {
  if (name.subarray(0, sparse.length).equals(sparse)) description.sparse = true
  if (name.length > NAME_BYTES) return
  const key = name.toString('latin1')
  if (key === 'path' || key === 'linkpath') description[key] = pathOf(value)
  else if (key === 'size') description.size = integer(value.toString('latin1', 0, 20)) ?? fail()
  else if (key === 'mtime') description.mtime = timeOf(value.toString('latin1', 0, 40))
}

/** A name of 255 bytes below 256 levels of such names: the longest that the panel packs. */
export const MAX_PATH_BYTES = 257 * 256

/** A path from a header of its own, copied. */
export function pathOf(value: Buffer): Buffer {
  if (value.length > MAX_PATH_BYTES) throw refused(`it contains a path of more than ${MAX_PATH_BYTES} bytes`)
  return Buffer.from(value)
}

function integer(digits: string): number | undefined {
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined
}

const fail = (): never => {
  throw damaged()
}

/** The last second of the year 9999. */
const LATEST = 253_402_300_799

/** Seconds, with a fraction; what is not a time becomes 0, like times before 1970. */
const timeOf = (text: string): number => (/^\d{1,12}(?:\.\d*)?$/.test(text) ? Math.min(LATEST, Number(text)) : 0)
