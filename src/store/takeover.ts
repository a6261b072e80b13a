import { constants, copyFileSync, existsSync, realpathSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { ownFile, syncPath } from '../shared/files.ts'
import { keyFiles } from '../shared/keys.ts'
import { type Archive, BackupProblem, describe, described, readArchive } from './archive.ts'
import { currentKey, keyParts, label } from './backup.ts'
import { lookAt } from './check.ts'
import { idOf } from './header.ts'
import { lockDirectory } from './lock.ts'
import { refuseForeign, storeId } from './migrate.ts'
import type { StoreParts } from './parts.ts'
import { keyOfSealed } from './reseal.ts'
import {
  type Agree,
  adopt,
  inDirectory,
  ownCopy,
  putInPlace,
  type RestoredFiles,
  type RestoreOptions,
  type RestoreSource,
} from './restore.ts'
import { schemaDifference } from './schema.ts'

export interface TakeoverOptions extends Omit<RestoreOptions, 'epoch'> {
  readonly now: number
}

/** The address at which to tell the old server about the takeover, should it come back. */
const succession = `
  INSERT INTO settings (name, value) SELECT 'predecessor', value FROM settings WHERE name = 'served_at'
    ON CONFLICT (name) DO UPDATE SET value = excluded.value;`

/**
 * Makes a copy of another machine's store the one that counts: does all that `restore` does, with an epoch that no
 * earlier store can reach. The file may be a backup, a replicated store, or a data directory.
 */
export async function takeOver(input: TakeoverOptions, parts: StoreParts, agree: Agree): Promise<RestoredFiles> {
  const options = { ...input, ...(input.move && { file: realpathSync(input.file) }) }
  const { dataDir, file, now } = options
  const rising = { ...options, epoch: (last: number) => Math.max(last + 1, now) }
  const all = { ...parts, restore: [...parts.restore, succession] }
  const isFolder = statSync(file).isDirectory()
  if (options.move && (isFolder || !isStore(file) || isBelow(dataDir, file))) throw notMoved(file)
  const archive = isFolder || isStore(file) ? undefined : readArchive(file, parts)
  return inDirectory(dataDir, async () => {
    if (archive) return putInPlace(rising, { archive }, all, agree)
    const unlock = lockSource(isFolder ? file : dirname(file), dataDir)
    try {
      return await (isFolder ? adopt : options.move ? moveStore : takeStore)(rising, all, agree)
    } finally {
      unlock()
    }
  })
}

const isBelow = (folder: string, file: string): boolean =>
  existsSync(folder) && (realpathSync(dirname(file)) === realpathSync(folder) || isSame(join(folder, 'panel.db'), file))

/** Compares inodes: a killed takeover may have left the store under a second name. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) => statSync(file, { bigint: true, throwIfNoEntry: false }))
  return a !== undefined && a.dev === b?.dev && a.ino === b.ino
}

const notMoved = (file: string): BackupProblem =>
  new BackupProblem(
    `${file} cannot be moved: it is not a restored store outside the data directory`,
    'leave out --move',
  )

/** A hung server may still hold the copied store's lock, and would write to it later. */
function lockSource(from: string, dataDir: string): () => void {
  const lock = join(from, 'panel.lock')
  if (!existsSync(lock) || realpathSync(from) === realpathSync(dataDir)) return () => {}
  try {
    return lockDirectory(lock)
  } catch (error) {
    if (!(error as Error).message.startsWith('Another panel server')) return () => {}
    throw new BackupProblem(`a panel server is running on ${from}`, 'stop it first: systemctl disable --now panel')
  }
}

/** A new store's content may still be in its WAL alone. */
const isStore = (file: string): boolean => idOf(file) === storeId || existsSync(`${file}-wal`)

/** Moves a store of any size without copying it, and it stays a valid store whenever this is killed. */
async function moveStore(options: RestoreOptions, parts: StoreParts, agree: Agree): Promise<RestoredFiles> {
  const { file } = options
  ownFile(file)
  const restored = await putInPlace(options, asSource(file, options, parts), parts, agree)
  rmSync(file)
  syncPath(dirname(file))
  return restored
}

async function takeStore(options: RestoreOptions, parts: StoreParts, agree: Agree): Promise<RestoredFiles> {
  const { dataDir, file } = options
  const copy = ownCopy(dataDir)
  const ends = ['', '-wal', '-shm']
  try {
    for (const end of ends.slice(0, 2)) if (existsSync(file + end)) copyOf(file + end, copy + end)
    const archive = asArchive(copy, options, parts)
    const restored = await putInPlace(options, { archive }, parts, agree)
    return { ...restored, archive: { ...archive, file } }
  } finally {
    for (const end of ends) rmSync(copy + end, { force: true })
  }
}

function copyOf(from: string, to: string): void {
  ownFile(to)
  copyFileSync(from, to, constants.COPYFILE_FICLONE)
}

/** What is known about a store before it is opened. */
interface About {
  /** The directory of its keys. */
  readonly dataDir: string
  readonly withKeys: boolean
  readonly made_at: number
  readonly host: string
  readonly version: string
  readonly key_id: string | undefined
}

/** Describes a store and the keys beside it, without writing to it. */
const asSource = (store: string, options: RestoreOptions, parts: StoreParts): RestoreSource =>
  lookInto(store, options, parts, (sqlite, { dataDir, withKeys, ...about }) => {
    const values = { ...about, keys: withKeys, key_id: about.key_id ?? currentKey(dataDir) }
    return { archive: described(sqlite, store, parts.counts, values), files: withKeys ? keyParts(dataDir) : [] }
  })

/** Writes a backup's metadata into a copy of a store, with the keys beside it. */
const asArchive = (copy: string, options: RestoreOptions, parts: StoreParts): Archive =>
  lookInto(copy, options, parts, (sqlite, about) => {
    sqlite.transaction(() => label(sqlite, about))()
    return describe(sqlite, copy, parts.counts)
  })

/** Refuses a store that cannot be taken over. */
function lookInto<T>(
  store: string,
  { file, host, version }: RestoreOptions,
  parts: StoreParts,
  act: (sqlite: Database.Database, about: About) => T,
): T {
  const made_at = statSync(file).mtimeMs
  const sqlite = new Database(store)
  try {
    refuseForeign(sqlite)
    sqlite.pragma('trusted_schema = OFF')
    sqlite.pragma('journal_mode = DELETE')
    const problem = problemIn(sqlite, statSync(store).size, parts)
    if (problem) throw new BackupProblem(`${file} ${problem}`, 'use another copy')
    const dataDir = dirname(file)
    const withKeys = existsSync(join(dataDir, keyFiles[0]))
    return act(sqlite, { dataDir, withKeys, made_at, host, version, key_id: keyOfSealed(sqlite, parts.sealed) })
  } finally {
    sqlite.close()
  }
}

function problemIn(sqlite: Database.Database, size: number, parts: StoreParts): string | undefined {
  const schema = sqlite.pragma('user_version', { simple: true }) as number
  if (schema > parts.migrations.length)
    return `was written by a newer panel (schema ${schema}, this one supports ${parts.migrations.length})`
  const damage = lookAt(sqlite, size, parts.essential)
  if (damage) return `is damaged: ${damage}`
  const difference = schemaDifference(sqlite, parts.migrations)
  return difference && `was modified: ${difference}`
}
