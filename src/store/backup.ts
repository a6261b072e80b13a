import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { syncPath } from '../shared/files.ts'
import { keyFiles, keyId, keysIn } from '../shared/keys.ts'
import { type Archive, archiveId, archiveTables, BackupProblem, describe } from './archive.ts'
import { idOf } from './header.ts'
import { refuseForeign } from './migrate.ts'
import type { StoreParts } from './parts.ts'
import { pendingSwap } from './swap.ts'

export { BackupProblem }

export interface BackupOptions {
  readonly dataDir: string
  readonly file: string
  /** Whether to include secret.key and the certificate with its key. */
  readonly withKeys: boolean
  readonly host: string
  readonly version: string
}

/** The metadata written into a copy. */
export interface Label extends Omit<BackupOptions, 'file'> {
  readonly made_at: number
  /** The key that encrypts its values, if it is not the directory's. */
  readonly key_id?: string | undefined
}

/** Pages per step: a long queue at the disk would delay the server's commits. */
const pagesAtOnce = 256

/**
 * Copies the store as it is now into one file, while a server goes on writing to it; with its keys if asked. The file
 * is checked before it gets its name, so an older backup of that name survives a failure.
 */
export async function backUp(options: BackupOptions, { counts }: Pick<StoreParts, 'counts'>): Promise<Archive> {
  const { dataDir, file } = options
  refusePlace(dataDir, file)
  clearLeftovers(file)
  const partial = `${file}.part-${process.pid}`
  const handle = openSync(partial, 'wx', 0o600)
  try {
    const made_at = await copyStore(join(dataDir, 'panel.db'), partial, handle)
    const archive = complete(partial, { ...options, made_at }, counts)
    fsyncSync(handle)
    renameSync(partial, file)
    syncPath(dirname(file))
    return { ...archive, file }
  } finally {
    closeSync(handle)
    for (const left of [partial, `${partial}-journal`]) rmSync(left, { force: true })
  }
}

function refusePlace(dataDir: string, file: string): void {
  if (!existsSync(join(dataDir, 'panel.db')))
    throw new BackupProblem(`there is no store in ${dataDir}`, 'name its directory with --data-dir')
  if (pendingSwap(dataDir) !== undefined)
    throw new BackupProblem(`a restore into ${dataDir} was interrupted`, 'start the server: it finishes the restore')
  if (existsSync(file) && idOf(file) !== archiveId)
    throw new BackupProblem(`${file} exists and is not a backup`, 'choose another name')
}

/** Removes the leftovers of killed backups to the same name. */
function clearLeftovers(file: string): void {
  const start = `${basename(file)}.part-`
  for (const name of readdirSync(dirname(file))) {
    const pid = name.startsWith(start) ? Number.parseInt(name.slice(start.length), 10) : Number.NaN
    if (pid > 0 && !isRunning(pid)) rmSync(join(dirname(file), name))
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Copies a snapshot of the store and returns its time: an open read transaction isolates it from later writes. */
async function copyStore(from: string, to: string, handle: number): Promise<number> {
  const source = new Database(from, { readonly: true, timeout: 5000 })
  try {
    refuseForeign(source)
    source.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
    const moment = Date.now()
    const progress = (): number => {
      fdatasyncSync(handle)
      return pagesAtOnce
    }
    await source.backup(to, { progress })
    return moment
  } finally {
    source.close()
  }
}

/** Adds the store's files, marks it as a backup and checks it. */
function complete(
  partial: string,
  options: BackupOptions & { made_at: number },
  counts: StoreParts['counts'],
): Archive {
  const sqlite = new Database(partial)
  try {
    sqlite.pragma('journal_mode = DELETE')
    sqlite.transaction(() => label(sqlite, options))()
    const problems = sqlite.pragma('quick_check', { simple: true })
    if (problems !== 'ok') throw new BackupProblem(`the store is damaged: ${problems}`, 'see panel doctor')
    return describe(sqlite, partial, counts)
  } finally {
    sqlite.close()
  }
}

/** Writes the metadata, and the keys if asked, into an open store: it is a backup then. */
export function label(sqlite: Database.Database, options: Label): void {
  const { dataDir, withKeys, made_at, host, version, key_id = currentKey(dataDir) } = options
  sqlite.exec(archiveTables)
  const say = sqlite.prepare('INSERT INTO backup (name, value) VALUES (?, ?)')
  for (const [name, value] of Object.entries({ made_at, host, version, ...(key_id && { key_id }) }))
    say.run(name, String(value))
  const add = sqlite.prepare('INSERT INTO backup_files (path, content) VALUES (?, ?)')
  for (const [path, content] of withKeys ? keyParts(dataDir) : []) add.run(path, content)
  sqlite.pragma(`application_id = ${archiveId}`)
}

export const currentKey = (dataDir: string): string | undefined => keysIn(dataDir).map(keyId)[0]

/** A file that belongs to a store, with its path relative to the data directory. */
export type ArchivePart = readonly [path: string, content: Buffer]

export const keyParts = (dataDir: string): ArchivePart[] =>
  keyPaths(dataDir).map((path) => [path, readFileSync(join(dataDir, path))])

function keyPaths(dataDir: string): string[] {
  const tls = existsSync(join(dataDir, 'tls')) ? readdirSync(join(dataDir, 'tls')).map((name) => `tls/${name}`) : []
  const keys = keyFiles.filter((name) => existsSync(join(dataDir, name)))
  return [...keys, ...tls.filter((path) => path.endsWith('.pem'))]
}
