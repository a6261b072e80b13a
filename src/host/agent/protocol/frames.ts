/** A frame is four bytes of length, big-endian, and that many bytes of JSON: one object. */
const prefix = 4
/** Enough for the type and the id of an answer. */
const headBytes = 64

/** A peer that has not introduced itself yet gets a small limit. */
export const MAX_HELLO_BYTES = 64 * 1024
/** Large enough for many times one account's state with thousands of records. */
export const MAX_FRAME_BYTES = 16 * 1024 * 1024

export type Frame = Readonly<Record<string, unknown>>

/** A peer that violates the protocol. Its connection ends. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
}

export function encode(frame: object): Buffer {
  const text = JSON.stringify(frame)
  const length = Buffer.byteLength(text)
  if (length > MAX_FRAME_BYTES) throw new ProtocolError(`A frame of ${length} bytes is larger than ${MAX_FRAME_BYTES}.`)
  const bytes = Buffer.allocUnsafe(prefix + length)
  bytes.writeUInt32BE(length)
  bytes.write(text, prefix)
  return bytes
}

/** Assembles frames from a stream's chunks. */
export class FrameReader {
  /** The length of the frame that `read` gave last. */
  length = 0
  /** How many values it has, if its sender is not trusted. */
  values = 0
  #chunks: Buffer[] = []
  #size = 0
  #limit = MAX_HELLO_BYTES
  readonly #isLarge: ((head: string, length: number) => boolean) | undefined
  /** The frame under way has passed `isLarge`. */
  #admitted = false

  /** `isLarge` says by its first bytes whether a frame may have this length, before it is buffered and parsed. */
  constructor(isLarge?: (head: string, length: number) => boolean) {
    this.#isLarge = isLarge
  }

  /** Called once the peer has introduced itself. */
  trust(): void {
    this.#limit = MAX_FRAME_BYTES
  }

  /** The frames that this chunk completes. */
  *read(chunk: Buffer): Generator<Frame> {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    for (let length = this.#awaited(); length !== undefined; length = this.#awaited()) {
      this.length = length
      const bytes = this.#take(prefix + length).subarray(prefix)
      if (this.#isLarge) this.values = countValues(bytes)
      yield parse(bytes)
    }
  }

  /** The length of the next frame, if all of it has arrived. */
  #awaited(): number | undefined {
    if (this.#size < prefix) return undefined
    if (this.#chunks[0]!.length < prefix) this.#join()
    const length = this.#chunks[0]!.readUInt32BE()
    if (length > this.#limit) throw new ProtocolError(`A frame of ${length} bytes is larger than ${this.#limit}.`)
    if (length > MAX_HELLO_BYTES) this.#admit(length)
    return this.#size < prefix + length ? undefined : length
  }

  #admit(length: number): void {
    if (this.#admitted || !this.#isLarge || this.#size < prefix + headBytes) return
    if (this.#chunks[0]!.length < prefix + headBytes) this.#join()
    const head = this.#chunks[0]!.toString('latin1', prefix, prefix + headBytes)
    if (!this.#isLarge(head, length)) throw new ProtocolError(`A frame of ${length} bytes answers nothing.`)
    this.#admitted = true
  }

  #take(size: number): Buffer {
    const [all] = this.#join()
    this.#admitted = false
    this.#size -= size
    this.#chunks = this.#size > 0 ? [all!.subarray(size)] : []
    return all!.subarray(0, size)
  }

  #join(): Buffer[] {
    if (this.#chunks.length > 1) this.#chunks = [Buffer.concat(this.#chunks)]
    return this.#chunks
  }
}

/** Far more than a list of 100,000 files has, and than any shape is deep. */
const MAX_VALUES = 1_000_000
const MAX_DEPTH = 64

const sign = (character: string): number => character.charCodeAt(0)
const [quote, backslash, comma] = [sign('"'), sign('\\'), sign(',')]
const [list, listEnd, object, objectEnd] = [sign('['), sign(']'), sign('{'), sign('}')]

/** The values in a JSON text, before they are made: small ones take many times their bytes and a hundred times as long. */
function countValues(bytes: Buffer): number {
  let [values, depth] = [0, 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) at = endOfString(bytes, at + 1)
    else if (byte === comma) values++
    else if (byte === listEnd || byte === objectEnd) depth--
    else if (byte === list || byte === object) {
      values++
      if (++depth > MAX_DEPTH) throw new ProtocolError(`A frame is nested deeper than ${MAX_DEPTH} levels.`)
    }
    if (values > MAX_VALUES) throw new ProtocolError(`A frame has more than ${MAX_VALUES} values.`)
  }
  return values
}

/** The place of its closing quote. */
function endOfString(bytes: Buffer, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

export function parse(bytes: Buffer): Frame {
  const frame: unknown = parsed(bytes.toString())
  if (typeof frame === 'object' && frame !== null && !Array.isArray(frame)) return frame as Frame
  throw new ProtocolError('A frame is not a JSON object.')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
