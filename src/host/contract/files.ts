import type { ArchiveFormat, NameEncoding } from '../../shared/archives.ts'

export { archiveFormats, nameEncodings } from '../../shared/archives.ts'
export type { ArchiveFormat, NameEncoding }

/** A path relative to a home, as its bytes on disk, in base64; empty for the home itself. */
export type Bytes = string

/** An entry at a path, as it is on disk. */
export interface FileEntry {
  /** The path's last segment; empty for the home itself. */
  readonly name: Bytes
  readonly path: Bytes
  readonly type: 'file' | 'directory' | 'link' | 'other'
  readonly size: number
  /** `0644` */
  readonly mode: string
  readonly modifiedAt: number
  /** A symlink's target. */
  readonly target?: Bytes
  /** For a regular file: changes whenever its content may have. */
  readonly etag?: string
}

export interface FileList {
  readonly items: readonly FileEntry[]
  readonly total: number
  /** The name after which the next page begins. */
  readonly next?: Bytes
}

/** In a list of an account's trash. */
export const MAX_TRASH_ITEMS = 1000

/** A deleted entry that can be restored. */
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

/** A position in one of a log's files. */
export interface LogPlace {
  readonly file: string
  readonly offset: number
}

/** Inode numbers are reused: the creation time tells files apart, if the system has it. */
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

/** Preconditions for replacing a file. */
export interface Conditions {
  /** Its etag, or `*` for any existing file. */
  readonly ifMatch?: string
  /** It must not exist. */
  readonly ifAbsent?: boolean
}

/** Each verb with its arguments and its answer. */
export interface FileVerbs {
  readonly list: { input: At & { limit: number; after?: Bytes }; answer: FileList }
  readonly stat: { input: At; answer: FileEntry }
  readonly makeDirectory: { input: At & { parents: boolean }; answer: FileEntry }
  readonly move: { input: { from: Bytes; to: Bytes; overwrite: boolean }; answer: FileEntry }
  readonly chmod: { input: At & { mode: string }; answer: FileEntry }
  /** `whenFull`: what the quota leaves no room to describe is moved anyway, and removed when the trash is next emptied. */
  readonly trash: { input: At & { id: string; now: number; whenFull?: 'undescribed' }; answer: TrashItem }
  readonly listTrash: { input: object; answer: { items: readonly TrashItem[] } }
  readonly restore: { input: { id: string; to?: Bytes }; answer: FileEntry }
  /** Permanently removes what was deleted before a given time. */
  readonly emptyTrash: { input: { before: number }; answer: { removed: number } }
  /** How many bytes of each upload have arrived. */
  readonly uploadSizes: { input: { ids: readonly string[] }; answer: { sizes: readonly number[] } }
  /** Refuses early what such work would be refused for now. */
  readonly foresee: {
    input: { work: 'copy' | 'archive' | 'extract'; from: readonly Bytes[]; to: Bytes }
    answer: null
  }
  /** The target must not exist; `id` names the unfinished copy. */
  readonly copy: { input: { id: string; from: Bytes; to: Bytes; room?: number }; answer: { files: number } }
  /** The target must not exist. */
  readonly archive: {
    input: { id: string; paths: readonly Bytes[]; to: Bytes; format: ArchiveFormat; room?: number }
    answer: { files: number; size: number; warnings: readonly string[] }
  }
  /** Merges into a directory; entries are counted if this call unpacked them. */
  readonly extract: {
    input: { id: string; path: Bytes; to: Bytes; overwrite: boolean; nameEncoding?: NameEncoding; room?: number }
    answer: { files?: number; bytes?: number; warnings?: readonly string[] }
  }
  readonly listLogs: { input: object; answer: { items: readonly LogFile[] } }
  /** Secrets are masked, and `q` is matched against the masked text. */
  readonly tailLog: {
    input: { file: string; since?: TailPlace; limit: number; q?: string; secrets?: readonly string[] }
    answer: LogPage
  }
  readonly dropUpload: { input: { id: string }; answer: null }
  readonly saveUpload: {
    input: At & { id: string; size: number; sha256?: string; overwrite: boolean; mode?: string }
    answer: FileEntry
  }
}
export type FileVerb = keyof FileVerbs
export type FileInput<Verb extends FileVerb> = FileVerbs[Verb]['input']
export type Answered<Verb extends FileVerb> = FileVerbs[Verb]['answer']

/** Verbs whose bytes use a connection of their own. */
export interface ByteVerbs {
  /** Bytes from the host: their description and range. */
  readonly read: {
    input: At & { range?: string; ifRange?: string }
    answer: { entry: FileEntry; start: number; length: number; partial: boolean }
  }
  /** The log of a day; for today the current file. */
  readonly readLog: {
    input: { file: string; day: string; today: boolean; range?: string; ifRange?: string }
    answer: ByteVerbs['read']['answer']
  }
  /** Bytes to the host, preceded by their description. `commit` turns them into the file. */
  readonly write: {
    input: At & Conditions & { mode?: string; room?: number; maxBytes: number }
    answer: object
    commit: FileEntry
  }
  /**
   * Bytes of an upload, from its current offset; `length` of them, if known. Received bytes are kept even without a
   * commit, unless they exceed the upload's size.
   */
  readonly append: {
    input: { id: string; offset: number; length?: number; size: number; room?: number }
    answer: object
    commit: { offset: number }
  }
}
export type ByteVerb = keyof ByteVerbs
