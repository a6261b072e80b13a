import { damaged } from './refused.ts'

/** Archivers pad an archive up to a whole tape record. */
const MAX_PADDING_BYTES = 16 * 1024 * 1024

/** Takes bytes from a stream on demand. */
export class Taker {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#chunks = bytes[Symbol.asyncIterator]()
  }

  /** The next `size` bytes, in chunks as they arrive. */
  async *pieces(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#rest.length === 0) await this.#next()
      const piece = this.#rest.subarray(0, left)
      this.#rest = this.#rest.subarray(piece.length)
      left -= piece.length
      yield piece
    }
  }

  async take(size: number): Promise<Buffer> {
    const pieces: Buffer[] = []
    for await (const piece of this.pieces(size)) pieces.push(piece)
    return pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces)
  }

  async pass(size: number): Promise<void> {
    for await (const _ of this.pieces(size));
  }

  /** Reads to the end, so that a checksum at the end of the compressed data is verified. */
  async drain(): Promise<void> {
    for (let left = MAX_PADDING_BYTES; left > 0; ) {
      const { done, value } = await this.#chunks.next()
      if (done) return
      left -= value.length
    }
    throw damaged()
  }

  async #next(): Promise<void> {
    const { done, value } = await this.#chunks.next()
    if (done) throw damaged()
    this.#rest = value
  }
}
