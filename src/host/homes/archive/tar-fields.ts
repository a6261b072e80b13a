import { damaged, refused } from './refused.ts'
import { textOf } from './warnings.ts'

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

/** Big-endian, in two's complement; the first bit only marks it. */
function numberOf(bytes: Buffer): number {
  const negative = (bytes[0]! & 0x40) !== 0
  let number = negative ? (bytes[0]! | 0x80) - 0x100 : bytes[0]! & 0x3f
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
  /** Of a file with holes: its full size, and numbers in pairs, offset and length. */
  sparse?: true
  sparseVersion?: string
  sparseSize?: number
  sparseMap?: number[]
  sparsePath?: Buffer
  /** Further names of the file follow. */
  linked?: true
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

/** Longer than any name that is used. */
const NAME_BYTES = 24
const MAX_MAP_BYTES = 1024 * 1024

/** A record of our own: further names of the file follow. */
export const LINKED = 'PANEL.linked'

type Setting = (description: Description, value: Buffer) => void

const settings: Readonly<Record<string, Setting>> = {
  path: (description, value) => {
    description.path = pathOf(value)
  },
  linkpath: (description, value) => {
    description.linkpath = pathOf(value)
  },
  size: (description, value) => {
    description.size = lengthIn(value)
  },
  mtime: (description, value) => {
    description.mtime = timeOf(value.toString('latin1', 0, 40))
  },
  [LINKED]: (description) => {
    description.linked = true
  },
  'GNU.sparse.major': (description, value) => {
    description.sparse = true
    description.sparseVersion = `${value.toString('latin1', 0, 4)}.0`
  },
  'GNU.sparse.name': (description, value) => {
    description.sparsePath = pathOf(value)
  },
  'GNU.sparse.realsize': (description, value) => {
    description.sparseSize = lengthIn(value)
  },
  'GNU.sparse.size': (description, value) => {
    description.sparse = true
    description.sparseSize = lengthIn(value)
  },
  'GNU.sparse.map': (description, value) => {
    if (value.length > MAX_MAP_BYTES) throw damaged()
    description.sparseMap = value.toString('latin1').split(',').map(lengthOf)
  },
  'GNU.sparse.offset': addToMap,
  'GNU.sparse.numbytes': addToMap,
}

function addToMap(description: Description, value: Buffer): void {
  description.sparseMap ??= []
  description.sparseMap.push(lengthIn(value))
}

function describeBy(description: Description, name: Buffer, value: Buffer): void {
  if (name.length > NAME_BYTES) return
  const key = name.toString('latin1')
  if (Object.hasOwn(settings, key)) settings[key]!(description, value)
}

const lengthOf = (text: string): number => integer(text) ?? fail()
const lengthIn = (value: Buffer): number => lengthOf(value.toString('latin1', 0, 20))

/** A name of 255 bytes below 256 levels of such names: the longest that the panel packs. */
export const MAX_PATH_BYTES = 257 * 256

/** A path from a header of its own, copied. */
export function pathOf(value: Buffer): Buffer {
  if (value.length > MAX_PATH_BYTES)
    throw refused(`it contains a path of more than ${MAX_PATH_BYTES} bytes: ${textOf([value.subarray(0, 400)])}`)
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

/** Seconds, with a fraction, negative before 1970; what is not a time becomes 0. */
const timeOf = (text: string): number => (/^-?\d{1,12}(?:\.\d*)?$/.test(text) ? Math.min(LATEST, Number(text)) : 0)
