/** An entry of an archive that is read; the bytes of its file must be read before the next entry. */
export interface ReadEntry {
  /** As the archive has it: it may lead anywhere. */
  readonly path: Buffer
  /** `hard`: a second name of a file. */
  readonly type: 'file' | 'directory' | 'link' | 'hard'
  readonly mode: number
  /** In seconds. */
  readonly mtime: number
  readonly size: number
  /** Where a link leads, or of which file it is the second name. */
  readonly target?: Buffer
  readonly content: () => AsyncGenerator<Buffer>
}
