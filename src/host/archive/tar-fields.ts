import { damaged } from './refused.ts'

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

/** Times before 1970 become 0. */
function numberOf(bytes: Buffer): number {
  if (bytes[0]! & 0x40) return 0
  let number = bytes[0]! & 0x3f
  for (const byte of bytes.subarray(1)) number = number * 256 + byte
  if (!Number.isSafeInteger(number)) throw damaged()
  return number
}

/** `LENGTH NAME=VALUE\n`, one after the other. */
export function recordsOf(body: Buffer): ReadonlyMap<string, Buffer> {
  const records = new Map<string, Buffer>()
  for (let at = 0; at < body.length; ) {
    const blank = body.indexOf(0x20, at)
    const length = Number(body.toString('latin1', at, blank))
    const equals = body.indexOf(0x3d, blank)
    if (blank < 0 || equals < 0 || !Number.isSafeInteger(length) || length < 1 || at + length > body.length)
      throw damaged()
    records.set(body.toString('latin1', blank + 1, equals), body.subarray(equals + 1, at + length - 1))
    at += length
  }
  return records
}
