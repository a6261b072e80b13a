import { damaged } from './refused.ts'

/** Programs fill an archive up to a whole tape's record. */
const mostFilling = 16 * 1024 * 1024

/** Takes bytes from a stream as they are asked for. */
export class Taker {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#chunks = bytes[Symbol.asyncIterator]()
  }

  /** So many bytes, in pieces as they come. */
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

  /** To the end, so that a checksum at the end of what is compressed is looked at. */
  async drain(): Promise<void> {
    for (let left = mostFilling; left > 0; ) {
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
