import type { Collation } from '../shared/sql/privileges.ts'
import type { AccountName } from './account.ts'
import type { Repository } from './repository.ts'
import type { Source } from './source.ts'

/** Which backup of which account. They lie where the host keeps them unless another place is named. */
export interface BackupPlace {
  readonly account: string
  readonly backup: string
  readonly path?: string | undefined
  /** In a repository on another machine. */
  readonly repository?: Repository | undefined
}

/** A place for backups, without any. */
export type Destination = Pick<BackupPlace, 'path' | 'repository'>

/** The parts of a backup that are read from the host; the rest the panel says. */
export const readParts = ['files', 'mail'] as const
export type ReadPart = (typeof readParts)[number]

/** All parts of a backup. */
export const savedParts = [...readParts, 'mysql', 'dns', 'config'] as const
export type BackupPartName = (typeof savedParts)[number]

/** A file of a backup that the panel wrote: `account.json`, `dns/shop.example.zone`. */
export interface BackupText {
  readonly name: string
  readonly text: string
}

export interface BackupOrder {
  readonly place: BackupPlace
  readonly account: AccountName
  readonly createdAt: number
  readonly parts: readonly ReadPart[]
  /** Those whose content is saved; not given where that part is not wanted. */
  readonly databases?: readonly string[]
  readonly texts: readonly BackupText[]
}

/** What became of a part. */
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
  /** Bytes of the texts, by name. */
  readonly texts: Readonly<Record<string, number>>
  readonly sizeBytes: number
  readonly manifestSha256: string
}

export interface BackupCheck {
  readonly place: BackupPlace
  readonly manifestSha256: string
  /** What is read; all of it where none are named. */
  readonly parts?: readonly BackupPartName[]
  /** Whose home it is to be unpacked into. */
  readonly into?: AccountName
}

/** Texts of a backup, by the name of their file. */
export interface BackupTexts {
  readonly texts: readonly BackupText[]
}

/** A domain that has another name than in a backup, and what is below it with it. */
export interface Renamed {
  readonly from: string
  readonly to: string
}

/** A part that is put back into a home. */
export interface PartRestore {
  readonly place: BackupPlace
  readonly manifestSha256: string
  readonly account: AccountName
  /** The same for the same restore: what it has done is not done twice. */
  readonly restore: string
  readonly part: ReadPart
  /** Of files: what of them, as bytes in base64; all of them where it is not given. */
  readonly paths?: readonly string[]
  /** Where they are put; where they were, if it is not given. */
  readonly to?: string
  /** Of mail: what its directories are called by now. */
  readonly domain?: Renamed
}

/** A database whose content is put back: what it is called in the backup, and what it is by now. */
export interface DatabaseTarget {
  readonly from: string
  readonly to: string
  readonly collation: Collation
}

/** Databases of an account whose content is put back. */
export interface DatabasesRestore {
  readonly place: BackupPlace
  readonly manifestSha256: string
  readonly account: AccountName
  /** The same for the same restore: what it has done is not done twice. */
  readonly restore: string
  readonly databases: readonly DatabaseTarget[]
  /** What its names begin with, and what they began with in the backup. */
  readonly prefix: string
  readonly formerPrefix: string
}

/** What people have to know of a restore that succeeded, one sentence each. */
export interface RestoreFindings {
  readonly warnings: readonly string[]
}

/** What is wrong with a backup, one sentence each; nothing where it is as it was made. */
export interface BackupFindings {
  readonly damage: readonly string[]
  /** What the archives take when they are unpacked. */
  readonly contentBytes: number
  /** What is free where they would be. */
  readonly freeBytes?: number
}

/** What is read of a backup, as it is kept: one part, or a tar of all. */
export interface BackupDownload {
  readonly place: BackupPlace
  readonly manifestSha256: string
  readonly part?: BackupPartName
  readonly range?: string
  readonly ifRange?: string
}

/** What the bytes are of. */
export interface BackupBytes {
  /** What its name ends in: `files.tar.zst`, `tar`. */
  readonly ending: string
  readonly size: number
  readonly start: number
  readonly length: number
  readonly partial: boolean
  /** Of all `size` bytes, where it is known before they are read. */
  readonly sha256?: string
}

export interface BackupOptions {
  readonly signal?: AbortSignal
  readonly progress?: (line: string, done: number) => void
}

/** The backups of accounts. */
export interface HostBackups {
  /** Makes one from empty, whole or not at all; what it finds in its place is made anew. */
  make(order: BackupOrder, options?: BackupOptions): Promise<SavedBackup>
  check(check: BackupCheck, options?: BackupOptions): Promise<BackupFindings>
  remove(place: BackupPlace): Promise<void>
  /** Bytes of one as it is kept, for somebody to take away. */
  open(wanted: BackupDownload): Promise<Source<BackupBytes>>
  /** What the panel wrote into it. */
  read(check: BackupCheck): Promise<BackupTexts>
  /** Refuses a directory that cannot hold backups, or, without one, a host without restic. */
  judge(destination: Pick<Destination, 'path'>): Promise<void>
  /** Whether backups can be kept there; makes a repository where there is none. */
  test(destination: Destination, options?: BackupOptions): Promise<void>
  /** Puts a part back, whole or not at all. */
  restore(wanted: PartRestore, options?: BackupOptions): Promise<void>
  /** Makes databases anew with what is in a backup, each whole or not at all. */
  restoreDatabases(wanted: DatabasesRestore, options?: BackupOptions): Promise<RestoreFindings>
}
