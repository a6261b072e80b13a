import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { headerOf, sizeIn } from './header.ts'

/** Up to this size everything is looked at whenever the store is opened: a few milliseconds. */
const smallBytes = 8 * 1024 * 1024
/** Up to this size everything is looked at after an unclean end. Above it, only the essential tables. */
const wholeBytes = 256 * 1024 * 1024

/**
 * Refuses a store whose pages do not fit together, before anything is written to it. A large one that was closed
 * cleanly is only measured: a start must not take longer the more the store holds, and backups check all of it.
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

/** Whoever closed it last emptied its log; a backup that was reading then may have kept it from that. */
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

/** What is wrong with the pages of an open store; nothing where none of what is looked at is damaged. */
export function lookAt(sqlite: Database.Database, size: number, essential: readonly string[]): string | undefined {
  const checks =
    size <= wholeBytes ? ['quick_check(1)'] : tablesOf(sqlite, essential).map((table) => `quick_check('${table}')`)
  return checks.map((check) => oneLine(sqlite.pragma(check, { simple: true }))).find((finding) => finding !== 'ok')
}

const oneLine = (finding: unknown): string =>
  String(finding).replace('*** in database main ***', '').trim().replace(/\s+/g, ' ')

const tablesOf = (sqlite: Database.Database, essential: readonly string[]): string[] =>
  (sqlite.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[]).filter((name) =>
    essential.includes(name),
  )
