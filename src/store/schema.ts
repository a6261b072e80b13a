import Database from 'better-sqlite3'
import { type Migration, migrate } from './migrate.ts'

interface SchemaPart {
  readonly type: string
  readonly name: string
  readonly sql: string | null
}

/** Litestream's own tables in the store; they hold no data, and it recreates them. */
export const replicatorTables = ['_litestream_lock', '_litestream_seq']
/** Tables that SQLite itself may have added. */
const ownTables = ['sqlite_stat1', 'sqlite_stat4']
const tolerated = [...replicatorTables, ...ownTables]

/**
 * The first difference between an open file's schema and this panel's at the same version, with the given extra tables
 * allowed: a foreign trigger or view would keep working after a restore.
 */
export function schemaDifference(
  sqlite: Database.Database,
  migrations: readonly Migration[],
  further = '',
): string | undefined {
  const version = sqlite.pragma('user_version', { simple: true }) as number
  const expected = freshSchema(migrations.slice(0, version), further)
  const found = partsOf(sqlite)
  const strange = [...found].find(([key, { type, name, sql }]) =>
    expected.has(key) ? expected.get(key)?.sql !== sql : type !== 'table' || !tolerated.includes(name),
  )
  if (strange) return `${strange[0]} does not belong to panel`
  const missing = [...expected.keys()].find((key) => !found.has(key))
  return missing && `${missing} is missing`
}

function freshSchema(migrations: readonly Migration[], further: string): Map<string, SchemaPart> {
  const fresh = new Database(':memory:')
  try {
    migrate(fresh, migrations)
    fresh.exec(further)
    return partsOf(fresh)
  } finally {
    fresh.close()
  }
}

function partsOf(sqlite: Database.Database): Map<string, SchemaPart> {
  const parts = new Map<string, SchemaPart>()
  for (const part of sqlite.prepare('SELECT type, name, sql FROM sqlite_schema').all() as SchemaPart[]) {
    const key = `${part.type} ${part.name}`
    parts.set(parts.has(key) ? `duplicate ${key}` : key, part)
  }
  return parts
}
