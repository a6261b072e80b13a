import type { AccountName } from './account.ts'

/** Which backup of which account. They lie where the host keeps them unless a directory is named. */
export interface BackupPlace {
  readonly account: string
  readonly backup: string
  readonly path?: string | undefined
}

/** The parts of a backup that are read from the host; the rest the panel says. */
export const readParts = ['files', 'mail'] as const
export type ReadPart = (typeof readParts)[number]

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
  readonly texts: readonly BackupText[]
}

/** What became of a part. */
export interface SavedPart {
  readonly part: ReadPart
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
}

/** What is wrong with a backup, one sentence each; nothing where it is as it was made. */
export interface BackupFindings {
  readonly damage: readonly string[]
}

export interface BackupOptions {
  readonly signal?: AbortSignal
  readonly progress?: (line: string, done: number) => void
}

/** The backups of accounts, on the host's own disk. */
export interface HostBackups {
  /** Makes one from empty, whole or not at all; what it finds in its place is made anew. */
  make(order: BackupOrder, options?: BackupOptions): Promise<SavedBackup>
  check(check: BackupCheck, options?: BackupOptions): Promise<BackupFindings>
  remove(place: BackupPlace): Promise<void>
}
