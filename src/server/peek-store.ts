import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'

/** The panel in a data directory: whether it knows a node, by id, and how many accounts it has. */
export interface Resident {
  readonly hasNode: boolean
  readonly accounts: number
}

/** Undefined without a panel. */
export function residentOf(dataDir: string, node: string): Resident | undefined {
  const file = join(dataDir, 'panel.db')
  if (!existsSync(file)) return undefined
  const sqlite = new Database(file, { readonly: true })
  try {
    const tables = sqlite.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").pluck().all()
    const count = (table: string, which = '', ...values: string[]): number =>
      tables.includes(table)
        ? (sqlite
            .prepare(`SELECT count(*) FROM ${table} ${which}`)
            .pluck()
            .get(...values) as number)
        : 0
    return { hasNode: count('nodes', 'WHERE id = ?', node) > 0, accounts: count('accounts') }
  } finally {
    sqlite.close()
  }
}
