import Database from 'better-sqlite3'
import type { SealedColumn } from './parts.ts'

/** Re-encrypts a value for its purpose. */
export type Renew = (purpose: string, sealed: string) => string

/** Re-encrypts every encrypted value, in the caller's transaction; returns how many. */
export function reseal(sqlite: Database.Database, columns: readonly SealedColumn[], renew: Renew): number {
  let values = 0
  const one = (purpose: string) => (sealed: string) => {
    values++
    return renew(purpose, sealed)
  }
  sqlite.function('renewed', (purpose, text) => each(String(text), one(String(purpose))))
  for (const { table, column, purpose } of columns) {
    const update = `UPDATE ${table} SET ${column} = renewed(?, ${column}) WHERE ${column} IS NOT NULL`
    sqlite.prepare(update).run(purpose)
  }
  return values
}

/** How many encrypted values the store holds. */
export function countSealed(sqlite: Database.Database, columns: readonly SealedColumn[]): number {
  const inColumn = ({ table, column }: SealedColumn) =>
    sqlite.prepare(`SELECT count(*) FROM ${table} WHERE ${column} IS NOT NULL AND ${column} <> '[]'`).pluck()
  return columns.reduce((sum, column) => sum + (inColumn(column).get() as number), 0)
}

/** The id of the key that encrypted the store's values; undefined if none names it. */
export function keyOfSealed(sqlite: Database.Database, columns: readonly SealedColumn[]): string | undefined {
  for (const { table, column } of columns) {
    const text = sqlite.prepare(`SELECT ${column} FROM ${table} WHERE ${column} LIKE '%v2.%' LIMIT 1`).pluck().get()
    const [, id] = /v2\.([0-9a-f]{12})\./.exec(String(text ?? '')) ?? []
    if (id) return id
  }
  return undefined
}

/** Throws a message for users unless every encrypted value can be decrypted. */
export function checkSealed(sqlite: Database.Database, columns: readonly SealedColumn[], unseal: Renew): void {
  for (const { table, column, purpose } of columns) {
    const texts = sqlite.prepare(`SELECT ${column} FROM ${table} WHERE ${column} IS NOT NULL`).pluck()
    try {
      for (const text of texts.iterate() as IterableIterator<string>) each(text, (sealed) => unseal(purpose, sealed))
    } catch (error) {
      throw new Error(`${table}.${column} holds a value that cannot be decrypted: ${(error as Error).message}`)
    }
  }
}

/** Rewrites the whole store, since its free pages still hold values encrypted with the old key. */
export function wipeFreePlaces(file: string): void {
  const sqlite = new Database(file)
  try {
    sqlite.exec('VACUUM')
    sqlite.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    sqlite.close()
  }
}

const each = (text: string, act: (sealed: string) => string): string =>
  text.startsWith('[') ? JSON.stringify((JSON.parse(text) as string[]).map(act)) : act(text)
