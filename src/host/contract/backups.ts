import type { Collation } from '../../shared/sql/privileges.ts'
import type { AccountName } from './account.ts'
import type { Source } from './byte-source.ts'
import type { Repository } from './repository.ts'

/** A backup of an account, in the host's usual place unless another is given. */
export interface BackupPlace {
  readonly account: string
  readonly backup: string
  readonly path?: string | undefined
  /** A repository on another machine. */
  readonly repository?: Repository | undefined
}

/** A place for backups. */
export type Destination = Pick<BackupPlace, 'path' | 'repository'>

/** The parts of a backup that are read from the host; the panel provides the rest. */
export const readParts = ['files', 'mail'] as const
export type ReadPart = (typeof readParts)[number]

export const savedParts = [...readParts, 'mysql', 'dns', 'config'] as const
export type BackupPartName = (typeof savedParts)[number]

/** A file in a backup that the panel wrote: `account.json`, `dns/shop.example.zone`. */
export interface BackupText {
  readonly name: string
  readonly text: string
}

export interface BackupRequest {
  readonly place: BackupPlace
  readonly account: AccountName
  readonly createdAt: number
  readonly parts: readonly ReadPart[]
  /** The databases to dump; absent if that part is not wanted. */
  readonly databases?: readonly string[]
  readonly texts: readonly BackupText[]
}

/** The result of a part. */
export interface SavedPart {
  readonly part: BackupPartName
  readonly status: 'ok' | 'absent' | 'failed'
  readonly files?: number
  readonly bytes?: number
  readonly warnings?: readonly string[]
  readonly error?: string
}

export interface SavedBackup {
  readonly parts: readonly SavedPart[]
  /** The sizes of the text files, by name. */
  readonly texts: Readonly<Record<string, number>>
  readonly sizeBytes: number
  readonly manifestSha256: string
}

export interface BackupCheck {
  readonly place: BackupPlace
  readonly manifestSha256: string
  /** The parts to read; all by default. */
  readonly parts?: readonly BackupPartName[]
  /** The owner of the home to unpack into. */
  readonly into?: AccountName
}

/** A backup's text files, by name. */
export interface BackupTexts {
  readonly texts: readonly BackupText[]
}

/** A domain that was renamed since the backup, with its subdomains. */
export interface Renamed {
  readonly from: string
  readonly to: string
}

/** A part to restore into a home. */
export interface PartRestore {
  readonly place: BackupPlace
  readonly manifestSha256: string
  readonly account: AccountName
  /** Identifies the restore: completed steps of the same one are not repeated. */
  readonly restore: string
  readonly part: ReadPart
  /** For files: which paths, in base64; all by default. */
  readonly paths?: readonly string[]
  /** The target directory; the original place by default. */
  readonly to?: string
  /** For mail: the domain's current name. */
  readonly domain?: Renamed
}

/** A database to restore: its name in the backup, and its current name. */
export interface DatabaseTarget {
  readonly from: string
  readonly to: string
  readonly collation: Collation
}

/** Databases of an account to restore. */
export interface DatabasesRestore {
  readonly place: BackupPlace
  readonly manifestSha256: string
  readonly account: AccountName
  /** Identifies the restore: completed steps of the same one are not repeated. */
  readonly restore: string
  readonly databases: readonly DatabaseTarget[]
  /** The prefix of its names, now and in the backup. */
  readonly prefix: string
  readonly formerPrefix: string
}

/** What users must know about a successful restore, one sentence each. */
export interface RestoreFindings {
  readonly warnings: readonly string[]
}

/** What is wrong with a backup, one sentence each; empty if it is intact. */
export interface BackupFindings {
  readonly damage: readonly string[]
  /** The unpacked size of the archives. */
  readonly contentBytes: number
  /** The free space at their destination. */
  readonly freeBytes?: number
}

/** A download from a backup, as stored: one part, or a tar of all. */
export interface BackupDownload {
  readonly place: BackupPlace
  readonly manifestSha256: string
  readonly part?: BackupPartName
  readonly range?: string
  readonly ifRange?: string
}

/** Describes the bytes. */
export interface BackupBytes {
  /** The file name's extension: `files.tar.zst`, `tar`. */
  readonly ending: string
  readonly size: number
  readonly start: number
  readonly length: number
  readonly partial: boolean
  /** Of all `size` bytes, if known in advance. */
  readonly sha256?: string
}

export interface BackupOptions {
  readonly signal?: AbortSignal
  readonly progress?: (line: string, done: number) => void
}

/** The backups of accounts. */
export interface HostBackups {
  /** Makes a backup from scratch, all or nothing; overwrites an existing one. */
  make(order: BackupRequest, options?: BackupOptions): Promise<SavedBackup>
  check(check: BackupCheck, options?: BackupOptions): Promise<BackupFindings>
  remove(place: BackupPlace): Promise<void>
  /** Opens a backup's stored bytes for download. */
  open(request: BackupDownload): Promise<Source<BackupBytes>>
  /** The panel's own files in it. */
  read(check: BackupCheck): Promise<BackupTexts>
  /** Refuses a directory that cannot hold backups, or, without one, a host without restic. */
  validate(destination: Pick<Destination, 'path'>): Promise<void>
  /** Whether backups can be stored there; creates a missing repository. */
  test(destination: Destination, options?: BackupOptions): Promise<void>
  /** Restores a part, all or nothing. */
  restore(request: PartRestore, options?: BackupOptions): Promise<void>
  /** Recreates databases from a backup, each all or nothing. */
  restoreDatabases(request: DatabasesRestore, options?: BackupOptions): Promise<RestoreFindings>
}
