import { createHash } from 'node:crypto'
import type { AccountName } from '../contract/account.ts'
import type { Compression } from '../homes/archive/compress.ts'
import type { Definer } from './definer.ts'

export const manifestName = 'manifest.json'

/** One file of a backup. */
export interface ManifestEntry {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
  /** For an archive: the unpacked size of its files. */
  readonly content_bytes?: number
  /** For an archive: its files, directories and links. Absent in backups of earlier versions. */
  readonly content_inodes?: number
  /** For a database: its objects that run with a user's privileges. */
  readonly definers?: readonly Definer[]
}

/** A backup's content. The store keeps the manifest's SHA-256. */
export interface BackupManifest {
  readonly format: 1
  readonly backup: string
  readonly account: AccountName
  readonly created_at: number
  readonly compression: Compression
  readonly entries: readonly ManifestEntry[]
}

export const textOf = (manifest: BackupManifest): string => `${JSON.stringify(manifest, null, 2)}\n`

export const sha256Of = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')
