export interface WrittenEntry {
  /** Relative, in raw bytes; without a trailing slash. */
  readonly path: Buffer
  /** `hard`: a further name of a file that was written before. */
  readonly type: 'file' | 'directory' | 'link' | 'hard'
  readonly mode: number
  /** In seconds. */
  readonly mtime: number
  /** The same in nanoseconds, where known. */
  readonly mtimeNs?: bigint
  readonly size: number
  /** The target of a symlink or hard link. */
  readonly target?: Buffer
  /** Further names of this file may follow. */
  readonly linked?: boolean
}

/** How to encode entries as an archive. */
export interface ArchiveFormat {
  /** Whether it has hard links; else a file is written under each of its names. */
  readonly hardLinks: boolean
  /** One entry; a file's content must be exactly as long as its size. */
  entry(entry: WrittenEntry, content?: AsyncIterable<Buffer>): AsyncGenerator<Buffer>
  /** The archive's trailer. */
  end(): Buffer
}
