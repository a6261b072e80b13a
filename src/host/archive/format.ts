export interface WrittenEntry {
  /** Relative, as the bytes it has on the disk; without a slash at its end. */
  readonly path: Buffer
  readonly type: 'file' | 'directory' | 'link'
  readonly mode: number
  /** In seconds. */
  readonly mtime: number
  readonly size: number
  /** Where a link leads. */
  readonly target?: Buffer
}

/** How entries become the bytes of an archive. */
export interface ArchiveFormat {
  /** An entry; the content of a file has as many bytes as its size says. */
  entry(entry: WrittenEntry, content?: AsyncIterable<Buffer>): AsyncGenerator<Buffer>
  /** What follows the last entry. */
  end(): Buffer
}
