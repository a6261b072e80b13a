import { statSync } from 'node:fs'
import Database from 'better-sqlite3'
import { headerOf, idOf, sizeIn } from './header.ts'
import { storeId } from './migrate.ts'
import type { StoreParts } from './parts.ts'
import { schemaDifference } from './schema.ts'

/**
 * A backup is one SQLite file: the store, plus two tables with the backup's metadata and the files that belong to the
 * store. Its application id ('PANB') keeps a server from starting on it.
 */
export const archiveId = 0x50414e42

export const archiveTables = `
CREATE TABLE backup (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE backup_files (path TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT, WITHOUT ROWID;`

/** A backup's metadata. */
export interface Archive {
  readonly file: string
  readonly bytes: number
  /** The time of the state it holds. */
  readonly made_at: number
  readonly host: string
  /** The panel version that made it. */
  readonly version: string
  readonly schema: number
  readonly counts: Readonly<Record<string, number>>
  /** Whether it contains secret.key and the certificate's key. */
  readonly keys: boolean
  /** The id of the secret.key that encrypts its values, if there is one. */
  readonly key_id?: string
}

/** A message for users: why a backup cannot be made or used, and what to do. */
export class BackupProblem extends Error {
  readonly hint: string | undefined
  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}

type Counts = StoreParts['counts']
type ArchiveParts = Pick<StoreParts, 'counts' | 'migrations'>

/** Returns a backup's metadata; throws unless it is complete and this panel can read it. */
export function readArchive(file: string, parts: ArchiveParts): Archive {
  refuseOthers(file)
  refuseTruncated(file)
  const sqlite = new Database(file, { readonly: true })
  try {
    sqlite.pragma('trusted_schema = OFF')
    return checked(sqlite, file, parts)
  } catch (error) {
    throw error instanceof BackupProblem ? error : damaged(file, (error as Error).message)
  } finally {
    sqlite.close()
  }
}

function refuseOthers(file: string): void {
  const id = idOf(file)
  if (id === archiveId) return
  if (id === storeId) throw new BackupProblem(`${file} is a store, not a backup`, 'backups are made by `panel backup`')
  throw new BackupProblem(`${file} is not a backup of panel`, 'backups are made by `panel backup`')
}

function refuseTruncated(file: string): void {
  const expected = sizeIn(headerOf(file))
  const { size } = statSync(file)
  if (size !== expected) throw damaged(file, `it has ${size} of ${expected} bytes`)
}

const damaged = (file: string, reason: string): BackupProblem =>
  new BackupProblem(`${file} is damaged: ${reason}`, 'use another backup')

function checked(sqlite: Database.Database, file: string, { migrations, counts }: ArchiveParts): Archive {
  refuseNewer(sqlite, file, migrations.length)
  const problems = sqlite.pragma('integrity_check', { simple: true })
  if (problems !== 'ok') throw damaged(file, String(problems))
  const difference = schemaDifference(sqlite, migrations, archiveTables)
  if (difference) throw altered(file, difference)
  return describe(sqlite, file, counts)
}

function refuseNewer(sqlite: Database.Database, file: string, known: number): void {
  const schema = sqlite.pragma('user_version', { simple: true }) as number
  if (schema <= known) return
  const version = sqlite.prepare("SELECT value FROM backup WHERE name = 'version'").pluck().get()
  throw new BackupProblem(
    `${file} was made by a newer panel (${version}, schema ${schema}; this one supports ${known})`,
    `install panel ${version} and restore with that`,
  )
}

const altered = (file: string, difference: string): BackupProblem =>
  new BackupProblem(
    `${file} was modified: ${difference}`,
    'restore a backup that `panel backup` made; tables of your own belong in a file of their own',
  )

/** Reads the metadata of an open backup. */
export function describe(sqlite: Database.Database, file: string, counts: Counts): Archive {
  const values = new Map(sqlite.prepare('SELECT name, value FROM backup').raw().all() as [string, string][])
  return described(sqlite, file, counts, {
    made_at: Number(values.get('made_at')),
    host: values.get('host') ?? '',
    version: values.get('version') ?? '',
    keys: oneOf(sqlite, "SELECT count(*) FROM backup_files WHERE path = 'secret.key'") === 1,
    key_id: values.get('key_id'),
  })
}

type ArchiveValues = Pick<Archive, 'made_at' | 'host' | 'version' | 'keys'> & { readonly key_id: string | undefined }

/** Describes an open store as a backup would. */
export const described = (
  sqlite: Database.Database,
  file: string,
  counts: Counts,
  { key_id, ...values }: ArchiveValues,
): Archive => ({
  ...values,
  file,
  bytes: statSync(file).size,
  schema: sqlite.pragma('user_version', { simple: true }) as number,
  counts: countsIn(sqlite, counts),
  ...(key_id !== undefined && { key_id }),
})

/** The counts of an open store. */
export const countsIn = (sqlite: Database.Database, counts: Counts): Record<string, number> =>
  Object.fromEntries(Object.entries(counts).map(([name, query]) => [name, oneOf(sqlite, query)]))

const oneOf = (sqlite: Database.Database, query: string): number => sqlite.prepare(query).pluck().get() as number
