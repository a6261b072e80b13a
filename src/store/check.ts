import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { headerOf, sizeIn } from './header.ts'

/** Up to this size, check everything at each open: a few milliseconds. */
const smallBytes = 8 * 1024 * 1024
/** Up to this size, check everything after an unclean shutdown; above it, only the essential tables. */
const FULL_CHECK_BYTES = 256 * 1024 * 1024

/**
 * Refuses a corrupt store before anything is written to it. A large store that was closed cleanly only has its size
 * checked: startup time must not grow with the store, and backups check all of it.
 */
export function refuseDamaged(file: string, essential: readonly string[]): void {
  const size = sizeOf(file)
  if (size === 0) return
  const finding = truncated(file, size) ?? findingIn(file, size, essential)
  if (finding === undefined) return
  throw new Error(
    `The store ${file} is damaged: ${finding}. Nothing was changed. Restore a backup with \`panel restore\`.`,
  )
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** A clean close empties the WAL, unless a backup was reading at the time. */
const endedCleanly = (file: string): boolean => sizeOf(`${file}-wal`) === 0

function truncated(file: string, size: number): string | undefined {
  const expected = sizeIn(headerOf(file))
  return endedCleanly(file) && size < expected ? `it has ${size} of ${expected} bytes` : undefined
}

function findingIn(file: string, size: number, essential: readonly string[]): string | undefined {
  const sqlite = new Database(file, { readonly: true })
  try {
    if (sqlite.pragma('schema_version', { simple: true }) === 0) return undefined
    if (size > smallBytes && endedCleanly(file)) return undefined
    return lookAt(sqlite, size, essential)
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    if (code?.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') return message
    throw error
  } finally {
    sqlite.close()
  }
}

/** What is corrupt in an open store; undefined if the checked part is sound. */
export function lookAt(sqlite: Database.Database, size: number, essential: readonly string[]): string | undefined {
  const checks =
    size <= FULL_CHECK_BYTES
      ? ['quick_check(1)']
      : tablesOf(sqlite, essential).map((table) => `quick_check('${table}')`)
  return checks.map((check) => oneLine(sqlite.pragma(check, { simple: true }))).find((finding) => finding !== 'ok')
}

const oneLine = (finding: unknown): string =>
  String(finding).replace('*** in database main ***', '').trim().replace(/\s+/g, ' ')

const tablesOf = (sqlite: Database.Database, essential: readonly string[]): string[] =>
  (sqlite.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[]).filter((name) =>
    essential.includes(name),
  )
