import type { Migration } from './migrate.ts'

/** What the store is told of the tables in it by who composes: it knows none of them itself. */
export interface StoreParts {
  /** In the order of their numbers; a released one is never edited. */
  readonly migrations: readonly Migration[]
  /** Tables that the panel cannot do without: they are checked in a large store too. */
  readonly essential: readonly string[]
  /** SQL run on a restored store, where `jumps()` says how often its numbers have to move on. */
  readonly restore: readonly string[]
  /** What a backup says it holds: the name of the count, and the query for it. */
  readonly counts: Readonly<Record<string, string>>
  /** Where sealed values stand. */
  readonly sealed: readonly SealedColumn[]
}

/** A column of sealed values, or of JSON lists of them. */
export interface SealedColumn {
  readonly table: string
  readonly column: string
  /** What its values were sealed for. */
  readonly purpose: string
}
