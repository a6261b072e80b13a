import { invalidKey } from './invalid-key.ts'

/** Reads a key blob's values in sequence (RFC 4251, section 5). */
export class Wire {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  string(): Buffer {
    if (this.#at + 4 > this.#bytes.length) throw invalidKey('is cut off')
    const from = this.#at + 4
    const to = from + this.#bytes.readUInt32BE(this.#at)
    if (to > this.#bytes.length) throw invalidKey('is cut off')
    this.#at = to
    return this.#bytes.subarray(from, to)
  }

  /** A positive integer in minimal form. */
  positive(): bigint {
    const bytes = this.string()
    const [first = 0, second = 0] = bytes
    if (first >= 0x80 || (first === 0 && second < 0x80)) throw invalidKey('has a number that is not valid')
    return BigInt(`0x${bytes.toString('hex')}`)
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw invalidKey('has bytes after its end')
  }
}
