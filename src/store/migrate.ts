import type Database from 'better-sqlite3'
import type { StoreFailPoint } from './fail-points.ts'

export interface Migration {
  readonly name: string
  readonly sql: string
  /** Tables whose row count it may change; every other table must keep its count. */
  readonly changes?: readonly string[]
}

const numberOf = ({ name }: Migration): number => Number(/^(\d{4})-/.exec(name)?.[1])

/** Sorted by number, across areas: each number is the version that it produces. */
export function inOrder(migrations: readonly Migration[]): readonly Migration[] {
  const ordered = migrations.toSorted((one, other) => numberOf(one) - numberOf(other))
  const wrong = ordered.find((migration, place) => numberOf(migration) !== place + 1)
  if (wrong)
    throw new Error(`The numbers of migrations must run from 0001 without gaps or duplicates: see ${wrong.name}`)
  return ordered
}

/** 'PANL': distinguishes a panel store from other SQLite files. */
export const storeId = 0x50414e4c

/** Migrates the schema, each step in its own transaction; refuses a newer or foreign store. */
export function migrate(
  sqlite: Database.Database,
  migrations: readonly Migration[],
  onFailPoint: StoreFailPoint = () => {},
): void {
  refuseForeign(sqlite)
  const version = versionOf(sqlite)
  if (version > migrations.length) {
    throw new Error(
      `This store was written by a newer panel (schema ${version}, this panel supports ${migrations.length}). Install that version or restore a backup.`,
    )
  }
  if (version === migrations.length) return
  // Rebuilding a table under ON DELETE CASCADE would empty its children, and inside a transaction this pragma does nothing.
  sqlite.pragma('foreign_keys = OFF')
  try {
    for (let next = version; next < migrations.length; next++) step(sqlite, migrations[next]!, next + 1, onFailPoint)
  } finally {
    sqlite.pragma('foreign_keys = ON')
  }
}

const versionOf = (sqlite: Database.Database): number => sqlite.pragma('user_version', { simple: true }) as number

/** Throws for another program's file; read-only. */
export function refuseForeign(sqlite: Database.Database): void {
  const id = sqlite.pragma('application_id', { simple: true }) as number
  const empty = sqlite.prepare('SELECT count(*) FROM sqlite_schema').pluck().get() === 0
  if (id === storeId || (empty && versionOf(sqlite) === 0)) return
  throw new Error('This SQLite file is not a panel store.')
}

function step(sqlite: Database.Database, migration: Migration, version: number, onFailPoint: StoreFailPoint): void {
  sqlite
    .transaction(() => {
      const before = counts(sqlite)
      sqlite.exec(migration.sql)
      sqlite.pragma(`application_id = ${storeId}`)
      sqlite.pragma(`user_version = ${version}`)
      onFailPoint('mid-migration')
      verify(sqlite, migration, before)
    })
    .immediate()
}

function verify(sqlite: Database.Database, migration: Migration, before: Map<string, number>): void {
  const broken = sqlite.pragma('foreign_key_check') as unknown[]
  if (broken.length > 0) throw new Error(`Migration ${migration.name} would break ${broken.length} references.`)
  const after = counts(sqlite)
  for (const [table, count] of before) {
    if (migration.changes?.includes(table) || after.get(table) === count) continue
    throw new Error(`Migration ${migration.name} would leave ${after.get(table) ?? 'no'} of ${count} rows in ${table}.`)
  }
}

function counts(sqlite: Database.Database): Map<string, number> {
  const tables = sqlite
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all() as string[]
  return new Map(
    tables.map((table) => [table, sqlite.prepare(`SELECT count(*) FROM "${table}"`).pluck().get() as number]),
  )
}
