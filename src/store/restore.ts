import { constants, copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { prepareDirectory, syncPath } from '../shared/files.ts'
import { keyFiles, keyId, keysIn } from '../shared/keys.ts'
import { type Archive, BackupProblem, readArchive } from './archive.ts'
import { lockDirectory } from './lock.ts'
import { migrate, storeId } from './migrate.ts'
import { migrations } from './migrations/index.ts'
import type { StoreParts } from './parts.ts'
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
  /** Where the key comes from that opens what is sealed in the store. */
  readonly key: KeyState
}

/** From the backup; the one that lay there, which fits; none; or one that does not fit. */
export type KeyState = 'restored' | 'present' | 'missing' | 'other'

/** Asked before anything is replaced; throws when the answer is no. */
export type Agree = (intent: Intent) => Promise<void>

/**
 * Puts a backup in place of the store while no server runs. All is checked and made ready first; one rename decides,
 * and what was replaced is kept. `agree` is asked between: it throws when the answer is no.
 */
export async function restore(
  { dataDir, file }: RestoreOptions,
  parts: Pick<StoreParts, 'restore' | 'counts'>,
  agree: Agree,
): Promise<Restored> {
  const archive = readArchive(file, parts.counts)
  prepareDirectory(dataDir)
  const unlock = lockDirectory(join(dataDir, 'panel.lock'))
  try {
    finishSwap(dataDir)
    const replaces = existsSync(join(dataDir, 'panel.db'))
    await agree({ archive, replaces })
    const stamp = stampOf(new Date())
    prepareSwap(dataDir, archive, parts, stamp)
    finishSwap(dataDir)
    const kept = keptFolder(dataDir, stamp)
    return { archive, ...(existsSync(kept) && { kept }), key: keyState(dataDir, archive) }
  } finally {
    unlock()
  }
}

/** `20261120T134000Z`, as it can stand in a file name. */
const stampOf = (date: Date): string => date.toISOString().replace(/\.\d+|[-:]/g, '')

type Jumping = Pick<StoreParts, 'restore'>

/** Everything that is to be put in place, on the disk, under the name that decides; or nothing. */
function prepareSwap(dataDir: string, archive: Archive, parts: Jumping, stamp: string): void {
  const staging = stagingFolder(dataDir)
  rmSync(staging, { recursive: true, force: true })
  try {
    stage(staging, archive, parts)
    renameSync(staging, readyFolder(dataDir, stamp))
  } catch (error) {
    rmSync(staging, { recursive: true, force: true })
    throw error
  }
  syncPath(dataDir)
}

function stage(staging: string, archive: Archive, parts: Jumping): void {
  mkdirSync(staging, { mode: 0o700 })
  const store = join(staging, 'panel.db')
  writeFileSync(store, '', { mode: 0o600 })
  copyFileSync(archive.file, store, constants.COPYFILE_FICLONE)
  for (const [path, content] of turnIntoStore(store, parts)) writePart(staging, path, content)
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
function turnIntoStore(file: string, parts: Jumping): Part[] {
  const sqlite = new Database(file)
  try {
    const files = sqlite.prepare('SELECT path, content FROM backup_files').raw().all() as Part[]
    const dropped = ['backup', 'backup_files', ...replicatorTables].map((name) => `DROP TABLE IF EXISTS ${name};`)
    sqlite.exec(`${dropped.join(' ')} PRAGMA application_id = ${storeId}`)
    migrate(sqlite, migrations)
    sqlite.transaction(() => moveOn(sqlite, parts, 1))()
    return files.filter(([path]) => isPart(path))
  } finally {
    sqlite.close()
  }
}

/** A backup from elsewhere must not write where it likes. */
const isPart = (path: string): boolean =>
  (keyFiles as readonly string[]).includes(path) || (/^tls\/[\w.-]+\.pem$/.test(path) && isPlain(path))
const isPlain = (path: string): boolean => !basename(path).startsWith('.')

/** What the lost time gave out must not be given out again. */
function moveOn(sqlite: Database.Database, { restore: steps }: Jumping, jumps: number): void {
  sqlite.function('jumps', () => BigInt(jumps))
  for (const sql of steps) sqlite.exec(sql)
}

function keyState(dataDir: string, { keys, key_id }: Archive): KeyState {
  if (keys) return 'restored'
  const here = keysIn(dataDir).map(keyId)
  if (key_id === undefined || here.includes(key_id)) return 'present'
  return here.length > 0 ? 'other' : 'missing'
}
