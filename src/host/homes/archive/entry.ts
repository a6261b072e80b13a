/** An entry being read; consume its bytes before reading the next one. */
export interface ReadEntry {
  /** As in the archive: it may lead anywhere. */
  readonly path: Buffer
  /** `hard`: a hard link. */
  readonly type: 'file' | 'directory' | 'link' | 'hard'
  readonly mode: number
  /** In seconds. */
  readonly mtime: number
  readonly size: number
  /** The target of a symlink or hard link. */
  readonly target?: Buffer
  readonly content: () => AsyncGenerator<Buffer>
}
