import { crc32, deflateSync } from 'node:zlib'

const start = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

function chunk(name: string, data: Buffer, sum = crc32(Buffer.concat([Buffer.from(name), data]))): Buffer {
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(sum)
  return Buffer.concat([length, Buffer.from(name), data, check])
}

function header(width: number, height: number): Buffer {
  const data = Buffer.alloc(13)
  data.writeUInt32BE(width, 0)
  data.writeUInt32BE(height, 4)
  data.set([8, 0], 8)
  return chunk('IHDR', data)
}

const pixels = (width: number, height: number): Buffer => chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height)))

/** A black picture. */
export const png = (width: number, height: number, more: { comment?: number; spoilt?: true } = {}): Buffer =>
  Buffer.concat([
    start,
    header(width, height),
    ...(more.comment ? [chunk('tEXt', Buffer.alloc(more.comment, 'x'))] : []),
    ...(more.spoilt ? [chunk('tEXt', Buffer.from('x'), 7)] : []),
    pixels(width, height),
    chunk('IEND', Buffer.alloc(0)),
  ])

export const animatedPng = (): Buffer =>
  Buffer.concat([start, header(8, 8), chunk('acTL', Buffer.alloc(8)), pixels(8, 8), chunk('IEND', Buffer.alloc(0))])

function riff(name: string, data: Buffer): Buffer {
  const [all, length] = [Buffer.alloc(4), Buffer.alloc(4)]
  all.writeUInt32LE(12 + data.length)
  length.writeUInt32LE(data.length)
  return Buffer.concat([Buffer.from('RIFF'), all, Buffer.from(`WEBP${name}`), length, data])
}

/** The start of a frame, which contains its size. */
export function vp8(width: number, height: number): Buffer {
  const data = Buffer.alloc(20)
  data.set([0x9d, 0x01, 0x2a], 3)
  data.writeUInt16LE(width, 6)
  data.writeUInt16LE(height, 8)
  return riff('VP8 ', data)
}

export function vp8l(width: number, height: number): Buffer {
  const data = Buffer.alloc(20)
  data[0] = 0x2f
  data.writeUInt32LE(width - 1 + (height - 1) * 2 ** 14, 1)
  return riff('VP8L', data)
}

export function vp8x(width: number, height: number, flags = 0): Buffer {
  const data = Buffer.alloc(10)
  data[0] = flags
  data.writeUIntLE(width - 1, 4, 3)
  data.writeUIntLE(height - 1, 7, 3)
  return riff('VP8X', data)
}
