export interface WrittenEntry {
  /** Relative, in raw bytes; without a trailing slash. */
  readonly path: Buffer
  readonly type: 'file' | 'directory' | 'link'
  readonly mode: number
  /** In seconds. */
  readonly mtime: number
  readonly size: number
  /** A symlink's target. */
  readonly target?: Buffer
}

/** How to encode entries as an archive. */
export interface ArchiveFormat {
  /** One entry; a file's content must be exactly as long as its size. */
  entry(entry: WrittenEntry, content?: AsyncIterable<Buffer>): AsyncGenerator<Buffer>
  /** The archive's trailer. */
  end(): Buffer
}
