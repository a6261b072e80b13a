import type { Migration } from './migrate.ts'

/** What the composition tells the store about its tables: the store itself knows no area. */
export interface StoreParts {
  /** In order of number; a released one is never edited. */
  readonly migrations: readonly Migration[]
  /** Tables that the panel cannot do without: checked in a large store too. */
  readonly essential: readonly string[]
  /** SQL to run on a restored store; `jumps()` says how often its numbers must jump ahead. */
  readonly restore: readonly string[]
  /** Names and queries of the counts in a backup's metadata. */
  readonly counts: Readonly<Record<string, string>>
  /** The columns with encrypted values. */
  readonly sealed: readonly SealedColumn[]
}

/** A column of encrypted values, or of JSON lists of them. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** The purpose its values are encrypted for. */
  readonly purpose: string
}
