import { createHash } from 'node:crypto'

const PUBLIC_KEY = 6
const MAX_KEY_BYTES = 256 * 1024

/** The packets of an OpenPGP key file: tag and body. */
function packetsOf(bytes: Buffer): { tag: number; body: Buffer }[] {
  const packets: { tag: number; body: Buffer }[] = []
  let at = 0
  while (at < bytes.length) {
    const head = bytes[at]!
    if ((head & 0x80) === 0) throw new Error('not an OpenPGP key')
    const { start, length } = (head & 0x40) === 0 ? oldLength(bytes, at, head & 3) : newLength(bytes, at)
    if (!(length >= 0) || start + length > bytes.length) throw new Error('an OpenPGP key that is cut off')
    packets.push({
      tag: (head & 0x40) === 0 ? (head >> 2) & 15 : head & 63,
      body: bytes.subarray(start, start + length),
    })
    at = start + length
  }
  return packets
}

function oldLength(bytes: Buffer, at: number, kind: number): { start: number; length: number } {
  if (kind === 0) return { start: at + 2, length: bytes.readUInt8(at + 1) }
  if (kind === 1) return { start: at + 3, length: bytes.readUInt16BE(at + 1) }
  if (kind === 2) return { start: at + 5, length: bytes.readUInt32BE(at + 1) }
  throw new Error('an OpenPGP key of unknown length')
}

function newLength(bytes: Buffer, at: number): { start: number; length: number } {
  const first = bytes.readUInt8(at + 1)
  if (first < 192) return { start: at + 2, length: first }
  if (first < 224) return { start: at + 3, length: ((first - 192) << 8) + bytes.readUInt8(at + 2) + 192 }
  if (first === 255) return { start: at + 6, length: bytes.readUInt32BE(at + 2) }
  throw new Error('an OpenPGP key of unknown length')
}

/** Of a key of version 4. */
function fingerprintOf(body: Buffer): string {
  if (body[0] !== 4) throw new Error('an OpenPGP key of an unknown version')
  const head = Buffer.from([0x99, body.length >> 8, body.length & 255])
  return createHash('sha1').update(head).update(body).digest('hex').toUpperCase()
}

/** The key in its binary form; throws if the file holds any primary key other than the expected ones. */
export function pinnedKey(file: Buffer, fingerprints: readonly string[]): Buffer {
  if (file.length > MAX_KEY_BYTES) throw new Error('the file with the key is too large')
  const bytes = binaryOf(file)
  const found = packetsOf(bytes)
    .filter(({ tag }) => tag === PUBLIC_KEY)
    .map(({ body }) => fingerprintOf(body))
  const foreign = found.find((one) => !fingerprints.includes(one))
  if (foreign !== undefined) throw new Error(`the key has the fingerprint ${foreign}`)
  if (found.length === 0) throw new Error('the file has no key')
  return bytes
}

const armor =
  /^-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n(?:[^\r\n]+\r?\n)*\r?\n([A-Za-z0-9+/=\r\n]+?)\r?\n(?:=[A-Za-z0-9+/]{4}\r?\n)?-----END/

function binaryOf(file: Buffer): Buffer {
  const armored = armor.exec(file.toString('latin1'))?.[1]
  return armored === undefined ? file : Buffer.from(armored, 'base64')
}
