import { crc32 } from 'node:zlib'
import { type logoTypes, widestLogo } from '../../../contract/brand.ts'

export interface Image {
  readonly type: (typeof logoTypes)[number]
  readonly width: number
  readonly height: number
}

/** Detects an image's format from its bytes, or says why it cannot be a logo. */
export function imageIn(bytes: Buffer): Image | string {
  const image = bytes.subarray(0, 8).equals(pngStart) ? pngIn(bytes) : webpIn(bytes)
  if (!image) return 'is not a PNG or WebP image'
  if (image === 'animated') return 'must not be animated'
  const isLarge = image.width > widestLogo || image.height > widestLogo
  return isLarge
    ? `is ${image.width} × ${image.height} pixels; at most ${widestLogo} × ${widestLogo} are allowed`
    : image
}

type DetectedImage = Image | 'animated' | undefined

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** Parses every chunk to the last byte, so that nothing else hides in it. */
function pngIn(bytes: Buffer): DetectedImage {
  const names: string[] = []
  let at = pngStart.length
  while (at + 12 <= bytes.length) {
    const length = bytes.readUInt32BE(at)
    const end = at + 8 + length
    if (end + 4 > bytes.length || crc32(bytes.subarray(at + 4, end)) !== bytes.readUInt32BE(end)) return undefined
    names.push(bytes.toString('latin1', at + 4, at + 8))
    at = end + 4
    if (names.at(-1) === 'IEND') break
  }
  if (at !== bytes.length || names[0] !== 'IHDR' || names.at(-1) !== 'IEND' || !names.includes('IDAT')) return undefined
  if (bytes.readUInt32BE(8) !== 13) return undefined
  return names.includes('acTL') ? 'animated' : sized('image/png', bytes.readUInt32BE(16), bytes.readUInt32BE(20))
}

function webpIn(bytes: Buffer): DetectedImage {
  const isWebp =
    bytes.length >= 30 && bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'
  if (!isWebp || bytes.readUInt32LE(4) + 8 !== bytes.length) return undefined
  if (bytes.readUInt32LE(16) + 20 > bytes.length) return undefined
  return formats[bytes.toString('latin1', 12, 16)]?.(bytes)
}

/** By the name of the first chunk. */
const formats: Readonly<Record<string, (bytes: Buffer) => DetectedImage>> = {
  'VP8 ': (bytes) => {
    if (bytes.readUIntBE(23, 3) !== 0x9d012a) return undefined
    return sized('image/webp', bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff)
  },
  VP8L: (bytes) => {
    if (bytes[20] !== 0x2f) return undefined
    const bits = bytes.readUInt32LE(21)
    return sized('image/webp', (bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
  },
  VP8X: (bytes) => {
    if ((bytes[20]! & 0x02) !== 0) return 'animated'
    return sized('image/webp', bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1)
  },
}

const sized = (type: Image['type'], width: number, height: number): DetectedImage =>
  width > 0 && height > 0 ? { type, width, height } : undefined
