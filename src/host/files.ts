/** A path below a home as the bytes it has on the disk, in base64; the home itself is empty. */
export type Bytes = string

/** What is at a path, as it is on the disk. */
export interface FileEntry {
  /** The last part of the path; of the home itself nothing. */
  readonly name: Bytes
  readonly path: Bytes
  readonly type: 'file' | 'directory' | 'link' | 'other'
  readonly size: number
  /** `0644` */
  readonly mode: string
  readonly modifiedAt: number
  /** Where a link leads. */
  readonly target?: Bytes
  /** Of a regular file: another whenever its content may be. */
  readonly etag?: string
}

export interface FileList {
  readonly items: readonly FileEntry[]
  readonly total: number
  /** The name that the next page begins behind. */
  readonly next?: Bytes
}

/** What was deleted and can be restored. */
export interface TrashItem {
  readonly id: string
  readonly path: Bytes
  readonly type: FileEntry['type']
  readonly size: number
  readonly deletedAt: number
}

export interface LogFile {
  readonly file: string
  readonly size: number
  readonly modifiedAt: number
  /** Of rotated files, the newest first. */
  readonly days: readonly string[]
}

/** A place in one of the files that a log has been. */
export interface LogPlace {
  readonly file: string
  readonly offset: number
}

/** The number of a file that is gone is given again: when it was made tells it from the next one, where the system says that. */
export interface TailPlace extends LogPlace {
  readonly born?: string
}

export interface LogPage {
  readonly lines: readonly string[]
  readonly next: TailPlace
  readonly gap?: true
}

interface At {
  readonly path: Bytes
}

/** What may be demanded of a file before it is replaced. */
export interface Conditions {
  /** Its etag, or `*`: there is one. */
  readonly ifMatch?: string
  /** There is none. */
  readonly ifAbsent?: boolean
}

export const archiveFormats = ['zip', 'tar.gz', 'tar.zst'] as const
export type ArchiveFormat = (typeof archiveFormats)[number]

/** Each verb: what it is told, and what it answers. */
export interface FileVerbs {
  readonly list: { told: At & { limit: number; after?: Bytes }; answer: FileList }
  readonly stat: { told: At; answer: FileEntry }
  readonly makeDirectory: { told: At & { parents: boolean }; answer: FileEntry }
  readonly move: { told: { from: Bytes; to: Bytes; overwrite: boolean }; answer: FileEntry }
  readonly chmod: { told: At & { mode: string }; answer: FileEntry }
  readonly trash: { told: At & { id: string; now: number }; answer: TrashItem }
  readonly listTrash: { told: object; answer: { items: readonly TrashItem[] } }
  readonly restore: { told: { id: string; to?: Bytes }; answer: FileEntry }
  /** Takes away what was deleted before a moment, for good. */
  readonly emptyTrash: { told: { before: number }; answer: { removed: number } }
  /** How many bytes of each upload have come. */
  readonly uploadSizes: { told: { ids: readonly string[] }; answer: { sizes: readonly number[] } }
  /** Refuses what would be refused of such work as things are. */
  readonly foresee: {
    told: { work: 'copy' | 'archive' | 'extract'; from: readonly Bytes[]; to: Bytes }
    answer: null
  }
  /** Where nothing is; `id` names what is not finished. */
  readonly copy: { told: { id: string; from: Bytes; to: Bytes; room?: number }; answer: { files: number } }
  /** Where nothing is. */
  readonly archive: {
    told: { id: string; paths: readonly Bytes[]; to: Bytes; format: ArchiveFormat; room?: number }
    answer: { files: number; size: number; warnings: readonly string[] }
  }
  /** Into a directory, among what is in it; what was in the archive is counted where it was unpacked by this call. */
  readonly extract: {
    told: { id: string; path: Bytes; to: Bytes; overwrite: boolean; room?: number }
    answer: { files?: number; bytes?: number }
  }
  readonly listLogs: { told: object; answer: { items: readonly LogFile[] } }
  /** Secrets are masked, and lines with `q` are looked for in what is shown. */
  readonly tailLog: {
    told: { file: string; since?: TailPlace; limit: number; q?: string; secrets?: readonly string[] }
    answer: LogPage
  }
  readonly dropUpload: { told: { id: string }; answer: null }
  readonly saveUpload: {
    told: At & { id: string; size: number; sha256?: string; overwrite: boolean; mode?: string }
    answer: FileEntry
  }
}
export type FileVerb = keyof FileVerbs
export type Told<Verb extends FileVerb> = FileVerbs[Verb]['told']
export type Answered<Verb extends FileVerb> = FileVerbs[Verb]['answer']

/** Verbs with bytes that come by a connection of their own. */
export interface ByteVerbs {
  /** Bytes from the host: what they are of, and which of them. */
  readonly read: {
    told: At & { range?: string; ifRange?: string }
    answer: { entry: FileEntry; start: number; length: number; partial: boolean }
  }
  /** The log of a day; of today the file that is written. */
  readonly readLog: {
    told: { file: string; day: string; today: boolean; range?: string; ifRange?: string }
    answer: ByteVerbs['read']['answer']
  }
  /** Bytes to the host: what the first of them is. `commit` makes them the file. */
  readonly write: {
    told: At & Conditions & { mode?: string; room?: number; most: number }
    answer: object
    commit: FileEntry
  }
  /**
   * Bytes of an upload, from where it has come to; `length` of them, where that is known. What has come is kept whether
   * it is committed or not, unless it is more than the upload is to have.
   */
  readonly append: {
    told: { id: string; offset: number; length?: number; size: number; room?: number }
    answer: object
    commit: { offset: number }
  }
}
export type ByteVerb = keyof ByteVerbs
