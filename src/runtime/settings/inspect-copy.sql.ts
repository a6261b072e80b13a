import { join } from 'node:path'
import Database from 'better-sqlite3'
import { keyId, keysIn } from '../../shared/keys.ts'
import { countsIn } from '../../store/archive.ts'
import type { StoreParts } from '../../store/parts.ts'
import { keyOfSealed } from '../../store/reseal.ts'

// By hand: the file is a copy of the store, which drizzle cannot be sure of.

/** The condition of a restored copy of the store. */
export interface CopyReport {
  /** `ok`, or the first error that SQLite reports. */
  readonly integrity: string
  readonly counts: Readonly<Record<string, number>>
  readonly last_change: number | null
  /** How long before the drill the first change missing from the copy was made: the data a loss would have cost. */
  readonly age_seconds: number
  /** Whether the key beside the store decrypts the values in the copy. */
  readonly key: 'fits' | 'other' | 'missing'
}

/** Examines a copy and how far behind its store it is. */
export function examine(copy: string, dataDir: string, began: number, parts: StoreParts): CopyReport {
  const sqlite = new Database(copy)
  try {
    const last = lastOf(sqlite)
    const missed = firstAfter(join(dataDir, 'panel.db'), last.seq, began)
    return {
      integrity: String(sqlite.pragma('integrity_check(1)', { simple: true })),
      counts: countsIn(sqlite, parts.counts),
      last_change: last.at,
      age_seconds: missed === undefined ? 0 : (began - missed) / 1000,
      key: keyState(dataDir, keyOfSealed(sqlite, parts.sealed)),
    }
  } finally {
    sqlite.close()
  }
}

const lastOf = (sqlite: Database.Database) =>
  sqlite.prepare('SELECT coalesce(max(seq), 0) AS seq, max(created_at) AS at FROM events').get() as {
    readonly seq: number
    readonly at: number | null
  }

/** When the first event missing from the copy was recorded, of those before the drill. */
function firstAfter(store: string, seq: number, began: number): number | undefined {
  const sqlite = new Database(store, { readonly: true, timeout: 5000 })
  try {
    const query = 'SELECT min(created_at) FROM events WHERE seq > ? AND created_at < ?'
    return (sqlite.prepare(query).pluck().get(seq, began) as number | null) ?? undefined
  } finally {
    sqlite.close()
  }
}

function keyState(dataDir: string, sealedWith: string | undefined): CopyReport['key'] {
  const localKeys = keysIn(dataDir).map(keyId)
  if (sealedWith === undefined || localKeys.includes(sealedWith)) return 'fits'
  return localKeys.length > 0 ? 'other' : 'missing'
}
