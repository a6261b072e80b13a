/** An error in a zone file, with its line. */
export class FileError extends Error {
  readonly line: number
  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`)
    this.line = line
  }
}

/** A zone file of more lines than a zone can need. */
export class TooManyLines extends Error {}
