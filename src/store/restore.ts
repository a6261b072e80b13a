import { constants, copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { prepareDirectory, syncPath } from '../shared/files.ts'
import { type Archive, BackupProblem, readArchive } from './archive.ts'
import { lockDirectory } from './lock.ts'
import { migrate, storeId } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import { replicatorTables } from './schema.ts'
import { finishSwap, keptFolder, readyFolder, stagingFolder } from './swap.ts'

export { BackupProblem }

export interface RestoreOptions {
  readonly dataDir: string
  readonly file: string
}

/** What is about to happen, for the person who is asked. */
export interface Intent {
  readonly archive: Archive
  /** Whether a store is replaced. */
  readonly replaces: boolean
}

export interface Restored {
  readonly archive: Archive
  /** Where the files that were replaced are kept. */
  readonly kept?: string
}

/**
 * Puts a backup in place of the store while no server runs. All is checked and made ready first; one rename decides,
 * and what was replaced is kept. `agree` is asked between: it throws when the answer is no.
 */
export async function restore(
  { dataDir, file }: RestoreOptions,
  agree: (intent: Intent) => Promise<void>,
): Promise<Restored> {
  const archive = readArchive(file)
  prepareDirectory(dataDir)
  const unlock = lockDirectory(join(dataDir, 'panel.lock'))
  try {
    finishSwap(dataDir)
    const replaces = existsSync(join(dataDir, 'panel.db'))
    await agree({ archive, replaces })
    const stamp = stampOf(new Date())
    prepareSwap(dataDir, archive, stamp)
    finishSwap(dataDir)
    const kept = keptFolder(dataDir, stamp)
    return { archive, ...(existsSync(kept) && { kept }) }
  } finally {
    unlock()
  }
}

/** `20261120T134000Z`, as it can stand in a file name. */
const stampOf = (date: Date): string => date.toISOString().replace(/\.\d+|[-:]/g, '')

/** Everything that is to be put in place, on the disk, under the name that decides; or nothing. */
function prepareSwap(dataDir: string, archive: Archive, stamp: string): void {
  const staging = stagingFolder(dataDir)
  rmSync(staging, { recursive: true, force: true })
  try {
    stage(staging, archive)
    renameSync(staging, readyFolder(dataDir, stamp))
  } catch (error) {
    rmSync(staging, { recursive: true, force: true })
    throw error
  }
  syncPath(dataDir)
}

function stage(staging: string, archive: Archive): void {
  mkdirSync(staging, { mode: 0o700 })
  const store = join(staging, 'panel.db')
  writeFileSync(store, '', { mode: 0o600 })
  copyFileSync(archive.file, store, constants.COPYFILE_FICLONE)
  for (const [path, content] of turnIntoStore(store)) writePart(staging, path, content)
  for (const path of [store, staging]) syncPath(path)
}

type Part = readonly [path: string, content: Buffer]

function writePart(folder: string, path: string, content: Buffer): void {
  const target = join(folder, path)
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  writeFileSync(target, content, { mode: 0o600, flush: true })
  syncPath(dirname(target))
}

/** Makes the copy of a backup a store again; answers the files that were in it. */
function turnIntoStore(file: string): Part[] {
  const sqlite = new Database(file)
  try {
    const parts = sqlite.prepare('SELECT path, content FROM backup_files').raw().all() as Part[]
    const dropped = ['backup', 'backup_files', ...replicatorTables].map((name) => `DROP TABLE IF EXISTS ${name};`)
    sqlite.exec(`${dropped.join(' ')} PRAGMA application_id = ${storeId}`)
    migrate(sqlite, migrations)
    sqlite.transaction(() => moveOn(sqlite))()
    return parts.filter(([path]) => isPart(path))
  } finally {
    sqlite.close()
  }
}

/** A backup from elsewhere must not write where it likes. */
const isPart = (path: string): boolean => path === 'secret.key' || (/^tls\/[\w.-]+\.pem$/.test(path) && isPlain(path))
const isPlain = (path: string): boolean => !basename(path).startsWith('.')

/** More than any backup can be behind. */
const many = 1_000_000
const firstUid = 20_000
const uids = 1000
/** Serials are dates and two digits: one day. */
const serials = 100

/**
 * What the lost time gave out must not be given out again: seqs of events (older cursors are told of a gap), numbers
 * of deliveries, serials of zones, and user ids, under which files may lie. Sessions and links that have ended since
 * would live again.
 */
function moveOn(sqlite: Database.Database): void {
  const newest = sqlite.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events'").pluck().get() as
    | number
    | undefined
  const horizon = (newest ?? 0) + many
  sqlite.exec(`
    DELETE FROM sqlite_sequence WHERE name = 'events';
    INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ${horizon});
    INSERT INTO settings (name, value) VALUES ('pruned_seq', '${horizon}')
      ON CONFLICT (name) DO UPDATE SET value = excluded.value;
    INSERT INTO settings (name, value) VALUES ('next_uid', '${firstUid + uids}')
      ON CONFLICT (name) DO UPDATE SET value = value + ${uids};
    UPDATE deliveries SET number = number + ${many};
    UPDATE accounts SET zone_serial = zone_serial + ${serials};
    DELETE FROM sessions;
    DELETE FROM links;`)
}
