/** An entry being read; consume its bytes before reading the next one. */
export interface ReadEntry {
  /** As in the archive: it may lead anywhere. */
  readonly path: Buffer
  /** `hard`: a hard link; `other`: a device, a FIFO, or of an unknown type. */
  readonly type: 'file' | 'directory' | 'link' | 'hard' | 'other'
  readonly mode: number
  /** In seconds, with a fraction; negative before 1970. */
  readonly mtime: number
  readonly size: number
  /** The target of a symlink or hard link. */
  readonly target?: Buffer
  /** Where its bytes go, if it has holes between them. */
  readonly extents?: readonly Extent[]
  /** Equal for equal content, where the archive has a checksum. */
  readonly sum?: string
  /** Further names of this file follow as hard links. */
  readonly linked?: true
  readonly content: () => AsyncGenerator<Buffer>
}

/** A part of a sparse file that contains data. */
export interface Extent {
  readonly offset: number
  readonly length: number
}
