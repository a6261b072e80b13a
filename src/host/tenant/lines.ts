const newline = 0x0a
const carriageReturn = 0x0d

/** Assembles lines from a program's output; truncates long ones. */
export class Lines {
  readonly #max: number
  readonly #input: (line: string) => void
  #pending: Buffer[] = []
  #size = 0

  constructor(max: number, input: (line: string) => void) {
    this.#max = max
    this.#input = input
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
    if (this.#size > 0) this.#input(Buffer.concat(this.#pending).toString('utf8'))
    this.#pending = []
    this.#size = 0
  }

  #keep(piece: Buffer): void {
    const part = piece.subarray(0, this.#max - this.#size)
    if (part.length === 0) return
    this.#pending.push(Buffer.from(part))
    this.#size += part.length
  }
}

/** A progress bar rewrites its line: each state of it counts as a line. */
function endIn(chunk: Buffer, from: number): number {
  let at = from
  while (at < chunk.length && chunk[at] !== newline && chunk[at] !== carriageReturn) at++
  return at
}
