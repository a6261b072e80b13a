/** A field of this many bytes, little-endian. */
type ZipField = readonly [value: number, bytes: 2 | 4 | 8]

export function fieldsOf(...fields: readonly ZipField[]): Buffer {
  const buffer = Buffer.alloc(fields.reduce((sum, [, bytes]) => sum + bytes, 0))
  let at = 0
  for (const [value, bytes] of fields) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), at)
    else buffer.writeUIntLE(value, at, bytes)
    at += bytes
  }
  return buffer
}

/** Marks a 4-byte field whose value is in an 8-byte field elsewhere. */
export const elsewhere = 0xffffffff
export const isLarge = (value: number): boolean => value >= elsewhere

/** The values that do not fit into 4 bytes, for zip64. */
export function largeValues(...values: readonly number[]): Buffer {
  const large = values.filter(isLarge)
  if (large.length === 0) return Buffer.alloc(0)
  return fieldsOf([1, 2], [8 * large.length, 2], ...large.map((value): ZipField => [value, 8]))
}

const earliest = Date.UTC(1980, 0, 1) / 1000
const latest = Date.UTC(2107, 11, 31) / 1000

/** DOS time and date, in UTC. */
export function dosTime(seconds: number): readonly [time: number, date: number] {
  const at = new Date(Math.min(latest, Math.max(earliest, seconds)) * 1000)
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1)
  return [time, ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate()]
}

/** The time to the second, independent of time zones. */
export const exactTime = (seconds: number): Buffer =>
  Buffer.concat([fieldsOf([0x5455, 2], [5, 2]), Buffer.from([1]), fieldsOf([Math.max(0, seconds) % 2 ** 31, 4])])
