import { createHash } from 'node:crypto'
import type { AccountName } from '../account.ts'
import type { Compression } from '../archive/compress.ts'
import type { Definer } from './definer.ts'

export const manifestName = 'manifest.json'

/** One file of a backup. */
export interface ManifestEntry {
  readonly name: string
  readonly bytes: number
  readonly sha256: string
  /** Of an archive: what its files take when they are unpacked. */
  readonly content_bytes?: number
  /** Of a database: what runs in it with the rights of a user. */
  readonly definers?: readonly Definer[]
}

/** What a backup holds. Its own SHA-256 is in the store. */
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
