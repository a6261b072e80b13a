import type Database from 'better-sqlite3'
import { getTableColumns, getTableName } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { prepared } from './prepared.ts'

type StoreRow = Record<string, unknown>

/** Inserts whole rows by a statement prepared once; drizzle's builders build theirs each time. */
export function insertInto<T extends SQLiteTable>(table: T, onConflict = '') {
  const columns = Object.values(getTableColumns(table)) as SQLiteColumn[]
  const places = columns.map(() => '?').join(', ')
  const text = `INSERT INTO ${getTableName(table)} (${columns.map(({ name }) => name).join(', ')}) VALUES (${places})`
  const statement = prepared((sqlite: Database.Database) => sqlite.prepare(`${text} ${onConflict}`))
  return (sqlite: Database.Database, row: T['$inferInsert']): Database.RunResult =>
    statement(sqlite).run(columns.map((column) => stored(column, (row as StoreRow)[column.name] ?? column.default)))
}

/** Updates columns of the rows that match a condition, with one prepared statement per set of columns. */
export function update<T extends SQLiteTable>(table: T, where: string) {
  const columns = getTableColumns(table) as Record<string, SQLiteColumn>
  const statements = prepared((_: Database.Database) => new Map<string, Database.Statement>())
  return (sqlite: Database.Database, values: Partial<T['$inferSelect']>, ...which: unknown[]): number => {
    const names = Object.keys(values).filter((name) => (values as StoreRow)[name] !== undefined)
    if (names.length === 0) return 0
    const sets = names.map((name) => `${name} = ?`).join(', ')
    const known = statements(sqlite)
    const statement = known.get(sets) ?? sqlite.prepare(`UPDATE ${getTableName(table)} SET ${sets} WHERE ${where}`)
    known.set(sets, statement)
    return statement.run([...names.map((name) => stored(columns[name]!, (values as StoreRow)[name])), ...which]).changes
  }
}

const stored = (column: SQLiteColumn, value: unknown): unknown =>
  value === null || value === undefined ? null : column.mapToDriverValue(value)
