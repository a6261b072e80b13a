import Database from 'better-sqlite3'
import { type BetterSQLite3Database, drizzle } from 'drizzle-orm/better-sqlite3'
import { ownFile } from '../shared/files.ts'
import { Changes, type Sync } from './change.ts'
import { refuseDamaged } from './check.ts'
import type { StoreFailPoint } from './fail-points.ts'
import { type Migration, migrate, refuseForeign } from './migrate.ts'
import { Reading } from './reading.ts'
import { toUserMessage } from './storage-error.ts'

export type Db = BetterSQLite3Database

/** The panel's store: one SQLite file, one writer, durable at every commit. */
export interface Store {
  /** Reads from anywhere, writes only inside `change`. */
  readonly db: Db
  readonly sqlite: Database.Database
  /** Runs one atomic unit; the promise settles after its commit. */
  change<T>(work: () => Sync<T>): Promise<T>
  /** Changes with every write: what was read under a version is valid as long as it stays the same. */
  readonly version: number
  /** Inside a change: runs `act` after the commit, never if the change is rolled back. */
  afterCommit(act: () => void): void
  /** How many changes are queued in memory. */
  readonly waiting: number
  /** Why the last write failed; undefined while writes succeed. */
  readonly storageError: unknown
  /** How many writes the disk has refused. */
  readonly refusals: number
  /** Runs it inside a change and takes back all that it wrote; nothing of it runs after the commit. */
  dryRun<T>(work: () => T): T
  /** Keeps one read transaction open, which is cheaper, until the next change or for a few milliseconds. */
  hold(): void
  close(): void
}

export interface StoreOptions {
  readonly migrations: readonly Migration[]
  /** Tables to check even if the store is large. */
  readonly essential?: readonly string[]
  readonly onFailPoint?: StoreFailPoint
}

/**
 * Opens, checks and migrates the store. Throws on a newer schema, a corrupt file, or a pragma that did not take effect.
 */
export function openStore(file: string, options: StoreOptions): Store {
  const { onFailPoint = () => {} } = options
  const sqlite = openChecked(file, { essential: [], ...options, onFailPoint })
  const reading = new Reading(sqlite)
  const changes = new Changes(sqlite, reading, onFailPoint)
  return {
    db: drizzle(sqlite),
    sqlite,
    change: (work) => changes.run(work),
    get version() {
      return changes.version
    },
    afterCommit: (act) => changes.afterCommit(act),
    dryRun: (work) => changes.dryRun(work),
    get waiting() {
      return changes.waiting
    },
    get storageError() {
      return changes.storageError
    },
    get refusals() {
      return changes.refusals
    },
    hold: () => reading.hold(),
    close() {
      reading.release()
      closeStore(sqlite)
    },
  }
}

function openChecked(file: string, { essential, ...options }: Required<StoreOptions>): Database.Database {
  try {
    // SQLite gives the files beside it the same mode.
    ownFile(file)
    refuseDamaged(file, essential)
    return openMigrated(file, options)
  } catch (error) {
    throw toUserMessage(error, file)
  }
}

function openMigrated(
  file: string,
  { migrations, onFailPoint }: Omit<Required<StoreOptions>, 'essential'>,
): Database.Database {
  const sqlite = new Database(file)
  try {
    refuseForeign(sqlite)
    configure(sqlite)
    migrate(sqlite, migrations, onFailPoint)
    sqlite.pragma('query_only = ON')
    return sqlite
  } catch (error) {
    sqlite.close()
    throw error
  }
}

/** better-sqlite3 sets synchronous=NORMAL for WAL: FULL is set after it, and asserted. */
function configure(sqlite: Database.Database): void {
  sqlite.pragma('journal_mode = WAL')
  sqlite.pragma('synchronous = FULL')
  sqlite.pragma('foreign_keys = ON')
  sqlite.pragma('busy_timeout = 5000')
  sqlite.pragma('trusted_schema = OFF')
  sqlite.pragma('cache_size = -65536')
  const mode = sqlite.pragma('journal_mode', { simple: true })
  if (mode !== 'wal' && mode !== 'memory')
    throw new Error(`The store cannot use a write-ahead log here (journal mode ${mode}).`)
  if (sqlite.pragma('synchronous', { simple: true }) !== 2)
    throw new Error('The store cannot be made durable (synchronous is not FULL).')
}

function closeStore(sqlite: Database.Database): void {
  if (!sqlite.open) return
  sqlite.pragma('query_only = OFF')
  // A backup or replicator that is reading prevents the WAL from being emptied: leave it for the next start.
  sqlite.pragma('busy_timeout = 0')
  sqlite.pragma('wal_checkpoint(TRUNCATE)')
  sqlite.close()
}
