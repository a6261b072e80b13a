/** The last bytes of a process's output. */
export class Tail {
  readonly #max: number
  #chunks: Buffer[] = []
  #size = 0
  #cut = false

  constructor(max: number) {
    this.#max = max
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size > 2 * this.#max) this.#shorten()
  }

  /** As text; does not start in the middle of a character. */
  read(): { readonly output: string; readonly truncated: boolean } {
    this.#shorten()
    const [bytes = Buffer.alloc(0)] = this.#chunks
    const start = this.#cut ? bytes.subarray(0, 3).findIndex((byte) => (byte & 0xc0) !== 0x80) : 0
    return { output: bytes.subarray(Math.max(0, start)).toString('utf8'), truncated: this.#cut }
  }

  #shorten(): void {
    const all = Buffer.concat(this.#chunks)
    this.#cut ||= all.length > this.#max
    const retained = Buffer.from(all.subarray(Math.max(0, all.length - this.#max)))
    this.#chunks = [retained]
    this.#size = retained.length
  }
}
