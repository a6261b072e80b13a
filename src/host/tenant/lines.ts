const newline = 0x0a
const carriageReturn = 0x0d

/** Assembles lines from a program's output; truncates long ones. */
export class Lines {
  readonly #most: number
  readonly #told: (line: string) => void
  #kept: Buffer[] = []
  #size = 0

  constructor(most: number, told: (line: string) => void) {
    this.#most = most
    this.#told = told
  }

  add(chunk: Buffer): void {
    let from = 0
    for (let at = endIn(chunk, from); at < chunk.length; at = endIn(chunk, from)) {
      this.#keep(chunk.subarray(from, at))
      this.end()
      from = at + 1
    }
    this.#keep(chunk.subarray(from))
  }

  /** A last line without a newline counts, too. */
  end(): void {
    if (this.#size > 0) this.#told(Buffer.concat(this.#kept).toString('utf8'))
    this.#kept = []
    this.#size = 0
  }

  #keep(piece: Buffer): void {
    const part = piece.subarray(0, this.#most - this.#size)
    if (part.length === 0) return
    this.#kept.push(Buffer.from(part))
    this.#size += part.length
  }
}

/** A progress bar rewrites its line: each state of it counts as a line. */
function endIn(chunk: Buffer, from: number): number {
  let at = from
  while (at < chunk.length && chunk[at] !== newline && chunk[at] !== carriageReturn) at++
  return at
}
