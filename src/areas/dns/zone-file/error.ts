/** An error in a zone file, with its line. */
export class FileError extends Error {
  readonly line: number
  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`)
    this.line = line
  }
}

/** A record or name beyond all limits: what follows is not read. */
export class TooLong extends FileError {}

/** A zone file of more lines than a zone can need. */
export class TooManyLines extends Error {}

/** A record that is not imported, while the rest of the file is. */
export class LeftOut extends Error {}
