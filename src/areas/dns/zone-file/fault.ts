/** What is wrong with a zone file, and in which line. */
export class FileFault extends Error {
  readonly line: number
  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`)
    this.line = line
  }
}
