import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { giveAllToOwner, prepareDirectory, syncPath } from '../shared/files.ts'
import { keyFiles, keyId, keysIn } from '../shared/keys.ts'
import { type Archive, BackupProblem, readArchive } from './archive.ts'
import { type ArchivePart, backUp } from './backup.ts'
import {
  formerLife,
  type Incarnation,
  incarnationOf,
  newIncarnation,
  setIncarnation,
  writeMark,
} from './incarnation.ts'
import { lockDirectory } from './lock.ts'
import { migrate, storeId } from './migrate.ts'
import type { StoreParts } from './parts.ts'
import { replicatorTables } from './schema.ts'
import { backupFolder, finishSwap, readyFolder, stagingFolder } from './swap.ts'

export { BackupProblem }

export interface RestoreOptions {
  readonly dataDir: string
  /** A backup, or a data directory with a copy of a store. */
  readonly file: string
  /** This machine's host name. */
  readonly host: string
  readonly version: string
  /** The new life's epoch, given the highest known one; by default the next. */
  readonly epoch?: (last: number) => number
  /** Whether to move the file into place instead of copying it. */
  readonly move?: boolean
}

/** The source of the new store: a backup, or a store to move, with the files that belong to it. */
export interface RestoreSource {
  readonly archive: Archive
  readonly files?: readonly ArchivePart[]
}

/** What will happen, shown before it is confirmed. */
export interface Intent {
  readonly archive: Archive
  /** Whether an existing store is replaced. */
  readonly replaces: boolean
  readonly key: KeyState
}

export interface RestoredFiles {
  readonly archive: Archive
  /** Where the replaced files are kept. */
  readonly kept?: string
  /** The state of the key that decrypts the store's values. */
  readonly key: KeyState
}

/** From the backup; already here and matching; missing; or here but not matching. */
export type KeyState = 'restored' | 'present' | 'missing' | 'other'

/** Asks for confirmation before anything is replaced; throws on refusal. */
export type Agree = (intent: Intent) => Promise<void>

/**
 * Replaces the store with a backup, or with another data directory's store, while no server runs. Everything is checked
 * and prepared first; one rename commits, and the replaced files are kept. `agree` is called in between, and throws to
 * refuse.
 */
export async function restore(options: RestoreOptions, parts: RestoreParts, agree: Agree): Promise<RestoredFiles> {
  const { dataDir, file } = options
  const archive = isDirectory(file) ? undefined : readArchive(file, parts)
  return inDirectory(dataDir, async () =>
    archive ? await putInPlace(options, { archive: archive }, parts, agree) : await adopt(options, parts, agree),
  )
}

/** Runs `act` on a data directory while no server runs on it. */
export async function inDirectory<T>(dataDir: string, act: () => Promise<T>): Promise<T> {
  prepareDirectory(dataDir)
  const unlock = lockDirectory(join(dataDir, 'panel.lock'))
  try {
    finishSwap(dataDir)
    return await act()
  } finally {
    unlock()
  }
}

const isDirectory = (path: string): boolean => statSync(path).isDirectory()

/** Works on a copy of the given file, which must stay as it is. */
export const ownCopy = (dataDir: string): string => join(dataDir, 'restore.copy')

/** Turns a copied store into this directory's own, by way of a backup. */
export async function adopt(options: RestoreOptions, parts: RestoreParts, agree: Agree): Promise<RestoredFiles> {
  const { dataDir, file: from, host, version } = options
  const file = ownCopy(dataDir)
  const withKeys = realpathSync(from) !== realpathSync(dataDir)
  try {
    await backUp({ dataDir: from, file, withKeys, host, version }, parts)
    const restored = await putInPlace(options, { archive: readArchive(file, parts) }, parts, agree)
    return { ...restored, archive: { ...restored.archive, file: from } }
  } finally {
    rmSync(file, { force: true })
  }
}

/** Makes an archive the store of a locked directory. */
export async function putInPlace(
  { dataDir, epoch = next, move = false }: Pick<RestoreOptions, 'dataDir' | 'epoch' | 'move'>,
  source: RestoreSource,
  parts: RestoreParts,
  agree: Agree,
): Promise<RestoredFiles> {
  const { archive } = source
  const replaces = existsSync(join(dataDir, 'panel.db'))
  const key = keyState(dataDir, archive)
  await agree({ archive, replaces, key })
  const stamp = stampOf(new Date())
  prepareSwap(dataDir, source, { ...parts, epoch, move }, stamp)
  finishSwap(dataDir)
  const stored = backupFolder(dataDir, stamp)
  return { archive, ...(existsSync(stored) && { kept: stored }), key }
}

const next = (last: number): number => last + 1

/** `20261120T134000Z`, safe in file names. */
const stampOf = (date: Date): string => date.toISOString().replace(/\.\d+|[-:]/g, '')

type RestoreParts = Pick<StoreParts, 'restore' | 'counts' | 'migrations'>
type Jumping = Pick<StoreParts, 'restore' | 'migrations'> & Required<Pick<RestoreOptions, 'epoch' | 'move'>>

/** Writes everything to the disk, complete, under the name that commits it; or nothing. */
function prepareSwap(dataDir: string, source: RestoreSource, parts: Jumping, stamp: string): void {
  const staging = stagingFolder(dataDir)
  rmSync(staging, { recursive: true, force: true })
  try {
    stage(staging, source, formerLife(dataDir), parts)
    renameSync(staging, readyFolder(dataDir, stamp))
  } catch (error) {
    rmSync(staging, { recursive: true, force: true })
    throw error
  }
  syncPath(dataDir)
}

function stage(
  staging: string,
  { archive, files: beside }: RestoreSource,
  former: Incarnation | undefined,
  parts: Jumping,
): void {
  mkdirSync(staging, { mode: 0o700 })
  const store = join(staging, 'panel.db')
  if (!parts.move) copyInto(archive.file, store)
  const { files, life } = turnIntoStore(parts.move ? archive.file : store, former, parts, beside)
  if (parts.move) linkAs(archive.file, store)
  for (const [path, content] of files) writePart(staging, path, content)
  writeMark(staging, life)
  giveAllToOwner(staging)
  for (const path of [store, staging]) syncPath(path)
}

function copyInto(file: string, store: string): void {
  writeFileSync(store, '', { mode: 0o600 })
  if (file === ownCopy(dirname(dirname(store)))) renameSync(file, store)
  else copyFileSync(file, store, constants.COPYFILE_FICLONE)
}

/** Hard-links the file until the restore is committed; copies it if it is on another file system. */
function linkAs(file: string, store: string): void {
  try {
    linkSync(file, store)
  } catch {
    copyInto(file, store)
  }
}

interface Turned {
  readonly files: readonly ArchivePart[]
  readonly life: Incarnation
}

function writePart(folder: string, path: string, content: Buffer): void {
  const target = join(folder, path)
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  writeFileSync(target, content, { mode: 0o600, flush: true })
  syncPath(dirname(target))
}

/** Turns a copy of a backup into a store with a life of its own; returns the files that were in it. */
function turnIntoStore(
  file: string,
  former: Incarnation | undefined,
  parts: Jumping,
  beside: readonly ArchivePart[] | undefined,
): Turned {
  const sqlite = new Database(file)
  try {
    const files = beside ?? (sqlite.prepare('SELECT path, content FROM backup_files').raw().all() as ArchivePart[])
    const dropped = ['backup', 'backup_files', ...replicatorTables].map((name) => `DROP TABLE IF EXISTS ${name};`)
    // Free pages must not hold the keys either: they go wherever copies of the store go. Each commit waits for the
    // disk.
    sqlite.pragma('secure_delete = ON')
    sqlite.transaction(() => sqlite.exec(`${dropped.join(' ')} PRAGMA application_id = ${storeId}`))()
    sqlite.pragma('secure_delete = OFF')
    migrate(sqlite, parts.migrations)
    const life = sqlite.transaction(() => moveOn(sqlite, former, parts))()
    return { files: files.filter(([path]) => isPart(path)), life }
  } finally {
    sqlite.close()
  }
}

/** A backup from elsewhere must not choose where it writes. */
const isPart = (path: string): boolean =>
  (keyFiles as readonly string[]).includes(path) || (/^tls\/[\w.-]+\.pem$/.test(path) && isPlain(path))
const isPlain = (path: string): boolean => !basename(path).startsWith('.')

/** Numbers assigned after the backup must not be reused, nor those of an earlier restore of the same backup. */
function moveOn(sqlite: Database.Database, former: Incarnation | undefined, parts: Jumping): Incarnation {
  const { restore: steps, epoch } = parts
  const old = incarnationOf(sqlite)
  const other = former?.server !== undefined && former.server !== old.server
  const moves = Math.max(old.moves, other ? 0 : (former?.moves ?? 0)) + 1
  const life = newIncarnation(epoch(Math.max(old.epoch, former?.epoch ?? 0)), moves)
  sqlite.function('jumps', () => BigInt(moves - old.moves))
  for (const sql of steps) sqlite.exec(sql)
  setIncarnation(sqlite, life)
  return life
}

function keyState(dataDir: string, { keys, key_id }: Archive): KeyState {
  if (keys) return 'restored'
  const localKeys = keysIn(dataDir).map(keyId)
  if (key_id === undefined || localKeys.includes(key_id)) return 'present'
  return localKeys.length > 0 ? 'other' : 'missing'
}
