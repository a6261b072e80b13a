import { createHash } from 'node:crypto'
import type { AccountName } from '../contract/account.ts'
import { accepts, patterns, type Schema } from '../contract/fields.ts'
import * as shape from '../contract/shape.ts'
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

const domain = patterns.domain.source.slice(1, -1)
/** None leads out of the backup's directory. */
const entryName = new RegExp(
  `^(?:account\\.json|(?:files|mail)\\.tar\\.(?:zst|gz)|db/[A-Za-z0-9_]{1,64}\\.sql\\.(?:zst|gz)|dns/${domain}\\.zone)$`,
)
const definer = shape.fields({ kind: shape.name, name: shape.name, user: shape.name, host: shape.name })
const entry = shape.fields({
  name: shape.exactly(entryName),
  bytes: shape.count,
  sha256: shape.sha256,
  content_bytes: shape.maybe(shape.count),
  content_inodes: shape.maybe(shape.count),
  definers: shape.maybe(shape.list(definer)),
})
const manifest: Schema<unknown> = shape.fields({
  created_at: shape.count,
  compression: shape.oneOf('zstd', 'gzip'),
  entries: shape.list(entry),
})

/** What a manifest says; undefined if it is not one. Another machine, which may be hostile, can have written it. */
export function manifestIn(text: string): BackupManifest | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return accepts(manifest, value) ? (value as BackupManifest) : undefined
  } catch {
    return undefined
  }
}
